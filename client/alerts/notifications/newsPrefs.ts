import { z } from 'zod'
import { createStore } from 'zustand/vanilla'

const shape = z.object({
  /** True if the person wants to be told by the system while nobody looks at this browser's tabs. */
  isDesktop: z.boolean(),
  /** True if such a notification shows who has written what. */
  hasContent: z.boolean(),
  hasSound: z.boolean(),
  /** True if the person wants to be told by a push service while no page is open. */
  isPushed: z.boolean().default(false),
  /** `due`: a message came while nobody looked, so the page offers to tell. */
  offer: z.enum(['not_yet', 'due', 'answered']),
})
type Prefs = z.infer<typeof shape>

/** Key of localStorage: permissions are a browser's, so the choices are too. A sign-out drops it. */
const KEY = 'notifications'
const FIRST: Prefs = { isDesktop: false, hasContent: false, hasSound: true, isPushed: false, offer: 'not_yet' }

/** What this browser does about news. */
export const prefsStore = createStore<Prefs>(() => FIRST)

export function changePrefs(change: Partial<Prefs>): void {
  prefsStore.setState(change)
  try {
    localStorage.setItem(KEY, JSON.stringify(prefsStore.getState()))
  } catch {
    // If storage is blocked, the choice lasts until the page is closed.
  }
}

/** Reads the stored choices, and again whenever another tab changes them. Returns how to stop. */
export function followPrefs(): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === KEY) prefsStore.setState(storedPrefs())
  }
  prefsStore.setState(storedPrefs())
  globalThis.addEventListener?.('storage', onStorage)
  return () => globalThis.removeEventListener?.('storage', onStorage)
}

/** The choices as they are stored. */
export function storedPrefs(): Prefs {
  try {
    return shape.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null')).data ?? FIRST
  } catch {
    // Storage is blocked, or another program wrote there: nothing was chosen.
    return FIRST
  }
}
