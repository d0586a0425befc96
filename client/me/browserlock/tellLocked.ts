import { sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env } from '../../env.ts'

const UNTOLD = 'lock-untold'
/** Held by each tab whose vault is open. */
const OPEN = 'conclave/open'

export const noteLocked = (): void => localStorage.setItem(UNTOLD, '1')

export const noteUnlocked = (): void => localStorage.removeItem(UNTOLD)

/** Returns how to let go. */
export function holdOpen(): () => void {
  let letGo: () => void = () => undefined
  const isOver = new Promise<void>((resolve) => {
    letGo = resolve
  })
  void navigator.locks?.request(OPEN, { mode: 'shared' }, () => isOver)
  return letGo
}

/** False: another tab is open. Throws ApiError [Note: D4]. */
export async function tellLocked(env: Env): Promise<boolean> {
  // A frozen tab holds on, though it was told to lock.
  if (localStorage.getItem(UNTOLD) === null && (await isOpenElsewhere())) return false
  await env.api(sessionsApi.sleep, {})
  noteUnlocked()
  return true
}

async function isOpenElsewhere(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return held.some(({ name }) => name === OPEN)
}
