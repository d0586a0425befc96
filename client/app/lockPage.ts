import type { Env } from '../env.ts'
import { lockNow, standingOf } from '../me/browserlock/browserlock.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'

/** The part that sets a lock, written out: the session loads no words of the settings. */
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
  const press = (event: KeyboardEvent) => {
    if (!isLockKey(event)) return
    event.preventDefault()
    void lockPage(env, userId, onGo)
  }
  addEventListener('keydown', press, true)
  return () => removeEventListener('keydown', press, true)
}
