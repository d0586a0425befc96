import { createStore } from 'zustand/vanilla'
import type { FoundMessage } from '../crypto/crypto.ts'

export interface SearchState {
  /** The results below answer a query; they stay while the next one runs. */
  isAnswered: boolean
  /** Newest first. */
  messages: FoundMessage[]
  hasMore: boolean
  /** False while this browser still reads its own messages for the first time. */
  isComplete: boolean
  /** The rooms of which the server may have older messages. */
  unloaded: string[]
  /** Why the last search failed, in words. */
  failure: string | null
  /** Older messages are being fetched. */
  older: { done: number; total: number } | null
  /** Why fetching them stopped, in words. */
  olderFailure: string | null
}

export const EMPTY: SearchState = {
  isAnswered: false,
  messages: [],
  hasMore: false,
  isComplete: true,
  unloaded: [],
  failure: null,
  older: null,
  olderFailure: null,
}

export const searchStore = createStore<SearchState>(() => EMPTY)
