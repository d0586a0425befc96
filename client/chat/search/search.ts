import type { Env } from '../../env.ts'
import { failureWords } from '../../ui/failure.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { EMPTY, searchStore } from './store.ts'

/** Minimum length of a query, because fewer characters match nearly every message. */
const SHORTEST = 2
const LIMIT = 50
const TYPING_MS = 80

/** True for words long enough to search messages by, not only names. */
export const isSearchable = (query: string): boolean => query.trim().length >= SHORTEST

let asked = 0

/**
 * Searches these rooms and shows the matches. Results of an earlier query are dropped. Messages that are not indexed yet are added
 * when they are. The query stays in memory.
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

/** Clears the results, so that the next account does not see them. */
export function forgetSearch(): void {
  asked += 1
  searchStore.setState(EMPTY)
}
