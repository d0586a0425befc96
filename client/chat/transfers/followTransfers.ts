import type { Env } from '../../env.ts'
import { isShutRow, type RoomsState, roomsStore } from '../../rooms/list/roomList.ts'
import { whenListed } from '../calls/followCalls.ts'
import { leaveTransfers } from './leaving.ts'
import { memoryKey } from './memoryKey.ts'

/** Goes on with what this browser keeps, at the start and when a chat is unlocked. Returns how to stop. */
export function followTransfers(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  let isOver = false
  const begin = async () => {
    const rows = (await env.crypto.keepsTransfers()) ? await env.crypto.transferRows() : []
    if (isOver || (rows.every(({ stage }) => stage === 'done') && localStorage.getItem(memoryKey()) === null)) return
    const { beginTransfers } = await import('./receiveTransfer.ts')
    if (!isOver) await beginTransfers(env, rows)
  }
  const offs = [
    whenListed(() => attempt(begin())),
    roomsStore.subscribe((now, before) => {
      if (now.rooms !== before.rooms && shutIn(now) < shutIn(before)) attempt(begin())
    }),
  ]
  return () => {
    isOver = true
    for (const off of offs) off()
    leaveTransfers()
  }
}

const shutIn = ({ rooms }: RoomsState): number => [...rooms.values()].filter(isShutRow).length
