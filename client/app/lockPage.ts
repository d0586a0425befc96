import type { Env } from '../env.ts'
import { lockNow, standingOf } from '../me/browserlock/browserlock.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'

/** The part that sets a lock, written out: the messenger loads no words of the settings at its start. */
const LOCK_PART = '/settings?tab=security#lock'

/** Locks this browser. Where no lock is set, leads to the place that sets one. */
export async function lockPage(env: Env, userId: string, onGo: (address: string) => void): Promise<void> {
  try {
    if (await standingOf(env, userId)) await lockNow()
    else onGo(LOCK_PART)
  } catch (error) {
    showToast({ tone: 'bad', title: 'Not locked', text: failureWords(error) })
  }
}

/** True for Ctrl Alt L. AltGr writes letters, such as the Polish ł. */
function isLockKey(event: KeyboardEvent): boolean {
  if (!event.ctrlKey || !event.altKey || event.metaKey || event.shiftKey) return false
  return event.key.toLowerCase() === 'l' || (event.code === 'KeyL' && !event.getModifierState('AltGraph'))
}

/** Locks by the key, from wherever one is. Returns how to stop. */
export function watchLockKey(env: Env, userId: string, onGo: (address: string) => void): () => void {
  // The settings beneath a dialog would not be reached.
  const go = (address: string) =>
    document.querySelector('[role$=dialog]')
      ? showToast({ tone: 'bad', title: 'Not locked', text: 'This browser has no lock yet.' })
      : onGo(address)
  const press = (event: KeyboardEvent) => {
    if (!isLockKey(event)) return
    event.preventDefault()
    if (!event.repeat) void lockPage(env, userId, go)
  }
  addEventListener('keydown', press, true)
  return () => removeEventListener('keydown', press, true)
}
