import type { Env } from '../../env.ts'
import { isUnderway } from '../../rooms/list/underway.ts'
import type { LockAfter } from '../../worker/crypto.ts'

/** Storage key of the time of the last input in any tab of this browser, in ms. */
const LAST_INPUT = 'lock-input'
const NOTE_EVERY_MS = 2000
const MINUTE_MS = 60_000
/** Delay after a tab is hidden: switching between two Conclave tabs hides the first before it shows the second. */
const HIDDEN_MS = 500
const CALL_EVERY_MS = 5000
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/**
 * Calls `lock` after the given minutes without input in any tab of this browser, or for `hidden` once none of its tabs is
 * visible. A call counts as input, and as a visible tab. It compares clock times, so a computer that slept locks on waking, before the first input counts as activity. A monotonic
 * clock counts too: the other may be set back. Returns how to stop.
 */
export function watchIdle(env: Pick<Env, 'clock'>, after: LockAfter, lock: () => void): () => void {
  return after === 'hidden' ? watchHidden(lock) : watchInput(env, after * MINUTE_MS, lock)
}

function watchInput({ clock }: Pick<Env, 'clock'>, idleMs: number, lock: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let noted = 0
  let seen: string | null = null
  /** By the monotonic clock. */
  let seenAt = 0
  const now = () => clock().getTime()

  function write(at: number) {
    seen = String(at)
    localStorage.setItem(LAST_INPUT, seen)
  }
  function note() {
    noted = now()
    seenAt = performance.now()
    write(noted)
  }
  function look() {
    const stored = localStorage.getItem(LAST_INPUT)
    if (stored !== seen) seenAt = performance.now()
    seen = stored
    // The clock was set back.
    if (Number(stored) > now()) write(now())
  }
  function leftMs() {
    look()
    return idleMs - Math.max(now() - Number(seen), performance.now() - seenAt)
  }
  function wait() {
    clearTimeout(timer)
    const left = leftMs()
    if (left > 0) timer = setTimeout(wait, left)
    else lock()
  }
  function onInput() {
    if (Math.abs(now() - noted) < NOTE_EVERY_MS) return
    if (leftMs() <= 0) return wait()
    note()
  }
  // Browsers suspend timers of background tabs, so check the clock when the tab becomes visible.
  const onVisible = () => document.visibilityState === 'visible' && wait()

  const call = setInterval(() => isUnderway() && note(), CALL_EVERY_MS)
  note()
  wait()
  for (const input of INPUTS) window.addEventListener(input, onInput, { capture: true, passive: true })
  window.addEventListener('storage', look)
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    clearTimeout(timer)
    clearInterval(call)
    for (const input of INPUTS) window.removeEventListener(input, onInput, { capture: true })
    window.removeEventListener('storage', look)
    document.removeEventListener('visibilitychange', onVisible)
  }
}

const VISIBLE = 'conclave/visible'

/** Each visible tab holds a shared lock. A tab that gets the exclusive lock knows that no tab is visible. */
function watchHidden(lock: () => void): () => void {
  let release: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const isHidden = () => document.visibilityState === 'hidden'

  function hold() {
    clearTimeout(timer)
    if (release || !navigator.locks) return
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    void navigator.locks.request(VISIBLE, { mode: 'shared' }, () => held)
  }
  function letGo() {
    release?.()
    release = undefined
  }
  async function lockIfNoneIsSeen() {
    if (!isHidden()) return
    if (!navigator.locks) return lock()
    await navigator.locks.request(VISIBLE, { ifAvailable: true }, async (alone) => {
      if (alone && isHidden()) lock()
    })
  }
  function onChange() {
    if (!isHidden()) return hold()
    clearTimeout(timer)
    if (isUnderway()) {
      timer = setTimeout(onChange, CALL_EVERY_MS)
      return
    }
    letGo()
    timer = setTimeout(() => void lockIfNoneIsSeen(), HIDDEN_MS)
  }

  onChange()
  document.addEventListener('visibilitychange', onChange)
  return () => {
    letGo()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}
