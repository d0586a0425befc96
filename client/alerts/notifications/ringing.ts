import { createStore } from 'zustand/vanilla'

/** What rings, for the title; null if nothing does. */
export const ringStore = createStore<{ words: string | null }>(() => ({ words: null }))
