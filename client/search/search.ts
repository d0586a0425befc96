import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { failureWords } from '../ui/failure.ts'
import { EMPTY, searchStore } from './store.ts'

/** Fewer characters would find nearly everything. */
const SHORTEST = 2
const LIMIT = 50
const TYPING_MS = 80

/** True for words long enough to search messages by, not only names. */
export const isSearchable = (query: string): boolean => query.trim().length >= SHORTEST

let asked = 0

/**
 * Shows the messages of these rooms that have the words. The answer to an earlier query is dropped, and messages that
 * are not indexed yet join as they are. The query stays in memory.
 */
export async function searchMessages(env: Env, query: string, chatRoomIds: string[]): Promise<void> {
  asked += 1
  const mine = asked
  const isStale = () => mine !== asked
  if (!isSearchable(query)) {
    const { older, olderFailure } = searchStore.getState()
    return searchStore.setState({ ...EMPTY, older, olderFailure })
  }
  await new Promise((resolve) => setTimeout(resolve, TYPING_MS))
  try {
    while (!isStale()) {
      const found = await env.crypto.search({ query, chatRoomIds, limit: LIMIT })
      if (isStale()) return
      searchStore.setState({ ...found, isAnswered: true, failure: null })
      if (found.isComplete) return
      await env.crypto.indexRooms({ chatRoomIds })
    }
  } catch (error) {
    if (!(error instanceof CryptoFailure)) throw error
    if (!isStale()) searchStore.setState({ ...EMPTY, isAnswered: true, failure: failureWords(error) })
  }
}

/** Nothing of one account is left for the next. */
export function forgetSearch(): void {
  asked += 1
  searchStore.setState(EMPTY)
}
