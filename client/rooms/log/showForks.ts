import type { Env } from '../../env.ts'
import type { Fork } from '../../worker/crypto.ts'
import { placeOf, type Room } from '../list/room.ts'
import { changeRoom, roomById } from '../list/roomList.ts'

/** Only these stop sending: a mere name of 16 bytes proves nothing [Note: D2]. */
export const provenOf = (forks: Fork[]): Fork[] => forks.filter(({ isProven }) => isProven !== false)

/** Only forks without the person's decision [Note: D2]. */
export function showForks({ id }: Room, known: Fork[] = []): void {
  const forks = known.filter(({ isAnswered }) => !isAnswered)
  if (JSON.stringify(roomById(id)?.forks ?? forks) !== JSON.stringify(forks)) changeRoom(id, () => ({ forks }))
}

export async function answerForks(env: Env, room: Room, forks: Fork[]): Promise<void> {
  await env.crypto.answerForks({ ...placeOf(room), forks })
  showForks(room, (await env.crypto.roomRecord(room.id))?.forks)
}
