import { createStore } from 'zustand/vanilla'

/** Messages that the person deleted for themself a moment ago: not shown, and still there. */
export const leavingStore = createStore<{ keys: ReadonlySet<string> }>(() => ({ keys: new Set() }))
