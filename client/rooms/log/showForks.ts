import type { Env } from '../../env.ts'
import type { Fork } from '../../worker/crypto.ts'
import { placeOf, type Room } from '../list/room.ts'
import { changeRoom, roomById } from '../list/roomList.ts'

/** Shows in the room's row the forks about which the person has not decided [Note: D2]. */
export function showForks({ id }: Room, known: Fork[] = []): void {
  const forks = known.filter(({ isAnswered }) => !isAnswered)
  if (JSON.stringify(roomById(id)?.forks ?? forks) !== JSON.stringify(forks)) changeRoom(id, () => ({ forks }))
}

/** Goes on sending in spite of these forks, which the person has been shown. */
export async function answerForks(env: Env, room: Room, forks: Fork[]): Promise<void> {
  await env.crypto.answerForks({ ...placeOf(room), forks })
  showForks(room, (await env.crypto.roomRecord(room.id))?.forks)
}
