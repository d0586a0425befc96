import type { Env } from '../../env.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { callStore } from './callState.ts'
import { TAB_KEY } from './tabKey.ts'

/** Comes back into a call after a reload, and writes lines that are owed. Returns how to stop. */
export function followCalls(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  let isOver = false
  const begin = async () => {
    const owed = await env.crypto.notedCalls()
    if (isOver || (sessionStorage.getItem(TAB_KEY) === null && owed.length === 0)) return
    const { resumeCalls } = await import('./resume.ts')
    if (!isOver) await resumeCalls(env)
  }
  const off = whenListed(() => attempt(begin()))
  return () => {
    isOver = true
    off()
    if (callStore.getState().phase !== 'idle') void import('./resume.ts').then(({ leaveCalls }) => leaveCalls())
  }
}

export function whenListed(work: () => void): () => void {
  if (roomsStore.getState().status === 'ready') work()
  const off = roomsStore.subscribe(({ status }, before) => {
    if (status === 'ready' && before.status !== 'ready') work()
  })
  return off
}
