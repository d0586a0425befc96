import { CryptoFailure } from '../crypto/crypto.ts'
import { changeRoom, roomById } from './list.ts'
import type { Room } from './room.ts'

/** True if the server showed a state of the room that the account cannot follow without the person's decision [Note: R8]. */
export const isOtherState = (error: unknown): boolean =>
  error instanceof CryptoFailure && (error.code === 'generation' || error.code === 'generation_rollback')

/** Notes on the room's row whether the person is asked to restart it. */
export function markRestart({ id }: Room, asksRestart: boolean): void {
  if (roomById(id)?.asksRestart === !asksRestart) changeRoom(id, () => ({ asksRestart }))
}

/** Runs what follows the room's state. Where the server shows another one, the row asks the person, and the failure is thrown. */
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
