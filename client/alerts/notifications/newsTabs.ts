import { isLookedAt } from '../../ui/focus.ts'

/** Names of Web Locks: the first tab of this browser that asked holds one, each tab that somebody looks at shares the other. */
const FIRST = 'conclave-news'
const LOOKED_AT = 'conclave-looked-at'

export interface Tabs {
  /** True in one tab of this browser: it tells of news for all of them. */
  isFirst(): boolean
  /** True if somebody looks at one of them. */
  areLookedAt(): Promise<boolean>
  leave(): void
}

/** Joins the tabs of this browser that are open for the account. */
export function joinTabs(): Tabs {
  const { locks } = navigator
  // Without a secure context there are no locks: each tab tells for itself.
  if (!locks?.query) return { isFirst: () => true, areLookedAt: async () => isLookedAt(), leave: () => undefined }
  let isFirst = false
  const leaving = new AbortController()
  hold(FIRST, 'exclusive', leaving.signal, () => {
    isFirst = true
  })

  let looking: AbortController | undefined
  const look = () => {
    if (isLookedAt() === (looking !== undefined)) return
    looking?.abort()
    looking = isLookedAt() ? new AbortController() : undefined
    if (looking) hold(LOOKED_AT, 'shared', looking.signal)
  }
  const events = ['focus', 'blur'] as const
  for (const type of events) globalThis.addEventListener(type, look)
  document.addEventListener('visibilitychange', look)
  look()
  return {
    isFirst: () => isFirst,
    async areLookedAt() {
      if (isLookedAt()) return true
      const { held = [] } = await locks.query()
      return held.some(({ name }) => name === LOOKED_AT)
    },
    leave() {
      isFirst = false
      leaving.abort()
      looking?.abort()
      for (const type of events) globalThis.removeEventListener(type, look)
      document.removeEventListener('visibilitychange', look)
    },
  }
}

/** Holds a lock from when it is free until the signal. */
function hold(name: string, mode: LockMode, signal: AbortSignal, onHeld: () => void = () => undefined): void {
  const held = navigator.locks.request(name, { mode, signal }, () => {
    onHeld()
    return new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve())
    })
  })
  held.catch((error: unknown) => {
    // Left before it was free.
    if (!signal.aborted) throw error
  })
}
