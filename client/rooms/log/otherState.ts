import { CryptoFailure } from '../../worker/crypto.ts'
import type { Room } from '../list/room.ts'
import { changeRoom, roomById } from '../list/roomList.ts'

/** True if the server showed a room state that the account follows only after the person's decision [Note: R8]. */
export const isOtherState = (error: unknown): boolean =>
  error instanceof CryptoFailure && (error.code === 'generation' || error.code === 'generation_rollback')

/** Sets whether the room's row asks the person to restart it. */
export function markRestart({ id }: Room, asksRestart: boolean): void {
  if (roomById(id)?.asksRestart === !asksRestart) changeRoom(id, () => ({ asksRestart }))
}

/**
 * Runs work that follows the room's state. If the server shows another state, the row asks the person, and the error is thrown.
 */
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
