import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'

export async function pageNewEpochs(env: Env, room: Room): Promise<void> {
  if (roomById(room.id)?.lock !== 'open') return
  const part = await import('./writePages.ts').catch(() => undefined)
  try {
    await part?.writePages(env, room)
  } catch (error) {
    // The next epoch tries again.
    if (!isRefused(error, 'key_bytes_reached')) throw error
  }
}
