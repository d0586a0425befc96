import { CryptoFailure } from '../../worker/crypto.ts'
import type { Room } from '../list/room.ts'
import { changeRoom, roomById } from '../list/roomList.ts'

/** [Note: R8] */
export const isOtherState = (error: unknown): boolean =>
  error instanceof CryptoFailure && (error.code === 'generation' || error.code === 'generation_rollback')

export function markRestart({ id }: Room, asksRestart: boolean): void {
  if (roomById(id)?.asksRestart === !asksRestart) changeRoom(id, () => ({ asksRestart }))
}

export async function askingRestart<T>(room: Room, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work()
    markRestart(room, false)
    return result
  } catch (error) {
    if (isOtherState(error)) markRestart(room, true)
    throw error
  }
}
