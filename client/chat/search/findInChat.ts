import { createStore } from 'zustand/vanilla'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { failureWords } from '../../ui/failure.ts'
import { CryptoFailure, type FoundMessage } from '../../worker/crypto.ts'
import { jumpToMessage, showMatches } from '../messages/messages.ts'
import { isSearchable } from './search.ts'

/** The search inside the open chat. */
export interface FindState {
  /** True if the matches belong to what is typed. */
  isAnswered: boolean
  /** Oldest first. */
  matches: FoundMessage[]
  /** True if there are older matches than these. */
  hasMore: boolean
  /** Index of the match on screen. */
  at: number
  /** True if the room has messages that this browser has not loaded, perhaps. */
  isUnloaded: boolean
  failure: string | null
}

const EMPTY: FindState = { isAnswered: false, matches: [], hasMore: false, at: 0, isUnloaded: false, failure: null }
export const findStore = createStore<FindState>(() => EMPTY)

const LIMIT = 200
const TYPING_MS = 120
let asked = 0

/** Looks for words in one room, marks them, and goes to the newest match. The query stays in memory. */
export async function findInChat(env: Env, room: Room, query: string): Promise<void> {
  asked += 1
  const mine = asked
  const isStale = () => mine !== asked
  if (!isSearchable(query)) return clear(room)
  await new Promise((resolve) => setTimeout(resolve, TYPING_MS))
  try {
    while (!isStale()) {
      const found = await env.crypto.search({ query, chatRoomIds: [room.id], limit: LIMIT })
      if (isStale()) return
      if (found.isComplete) {
        const matches = found.messages.toReversed()
        findStore.setState({ ...EMPTY, isAnswered: true, matches, hasMore: found.hasMore, isUnloaded: found.unloaded.length > 0 })
        return await goTo(env, room, matches.length - 1)
      }
      await env.crypto.indexRooms({ chatRoomIds: [room.id] })
    }
  } catch (error) {
    if (!(error instanceof CryptoFailure)) throw error
    if (!isStale()) findStore.setState({ ...EMPTY, isAnswered: true, failure: failureWords(error) })
  }
}

/** Goes to the previous match (-1) or to the next one (1). Behind the last one the first one follows. */
export async function stepFind(env: Env, room: Room, by: -1 | 1): Promise<void> {
  const { at, matches } = findStore.getState()
  if (matches.length > 0) await goTo(env, room, (at + by + matches.length) % matches.length)
}

/** Ends the search: the marks go, and the chat stays where it is. */
export function endFind(room: Room): void {
  asked += 1
  clear(room)
}

function clear(room: Room): void {
  findStore.setState(EMPTY)
  showMatches(room, null)
}

async function goTo(env: Env, room: Room, at: number): Promise<void> {
  const { matches } = findStore.getState()
  const match = matches[at]
  findStore.setState({ at })
  showMatches(room, { ranges: new Map(matches.map(({ id, places }) => [id, places])), currentId: match?.id })
  if (match) await jumpToMessage(env, room, match.seq, 'match')
}
