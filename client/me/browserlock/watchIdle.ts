import type { Env } from '../../env.ts'
import type { LockAfter } from '../../worker/crypto.ts'

/** Storage key of the time of the last input in any tab of this browser, in ms. */
const LAST_INPUT = 'lock-input'
const NOTE_EVERY_MS = 2000
const MINUTE_MS = 60_000
/** Delay after a tab is hidden: switching between two Conclave tabs hides the first before it shows the second. */
const HIDDEN_MS = 500
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/**
 * Calls `lock` after the given minutes without input in any tab of this browser, or for `hidden` once none of its tabs is
 * visible. It compares clock times, so a computer that slept locks on waking, before the first input counts as activity. Returns
 * how to stop.
 */
export function watchIdle(env: Pick<Env, 'clock'>, after: LockAfter, lock: () => void): () => void {
  return after === 'hidden' ? watchHidden(lock) : watchInput(env, after * MINUTE_MS, lock)
}

function watchInput({ clock }: Pick<Env, 'clock'>, idleMs: number, lock: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let noted = 0
  const now = () => clock().getTime()
  const leftMs = () => Number(localStorage.getItem(LAST_INPUT) ?? 0) + idleMs - now()

  function note() {
    noted = now()
    localStorage.setItem(LAST_INPUT, String(noted))
  }
  function wait() {
    clearTimeout(timer)
    const left = leftMs()
    if (left > 0) timer = setTimeout(wait, left)
    else lock()
  }
  function onInput() {
    if (now() - noted < NOTE_EVERY_MS) return
    if (leftMs() <= 0) return wait()
    note()
  }
  // Browsers suspend timers of background tabs, so check the clock when the tab becomes visible.
  const onVisible = () => document.visibilityState === 'visible' && wait()

  note()
  wait()
  for (const input of INPUTS) window.addEventListener(input, onInput, { capture: true, passive: true })
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    clearTimeout(timer)
    for (const input of INPUTS) window.removeEventListener(input, onInput, { capture: true })
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
