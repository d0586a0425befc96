import { createStore } from 'zustand/vanilla'
import type { FoundMessage } from '../../worker/crypto.ts'

export interface SearchState {
  /** True if the results belong to a query. They stay while the next query runs. */
  isAnswered: boolean
  /** Newest first. */
  messages: FoundMessage[]
  hasMore: boolean
  /** False while this browser is still indexing its messages. */
  isComplete: boolean
  /** Ids of rooms with older messages on the server, perhaps. */
  unloaded: string[]
  /** Error text of the last search. */
  failure: string | null
  /** Progress in rooms while older messages are fetched. */
  older: { done: number; total: number } | null
  /** Error text of that fetch. */
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
