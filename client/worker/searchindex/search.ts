import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { messageAt } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'
import { needlesOf } from './foldText.ts'
import { openIndex, readIntoIndex, wordsIn } from './searchindex.ts'
import { endOf, indexAt, type Segment } from './segments.ts'
import { type Snippet, snippetOf } from './snippet.ts'

/** A message that matches all words of the query. */
export interface FoundMessage extends Snippet {
  chatRoomId: string
  seq: number
  id: string
  senderId: string
  /** ISO 8601, the server's time. */
  at: string
  /** False for words that no device has sealed. */
  isEncrypted: boolean
}

export interface Found {
  /** Newest first. */
  messages: FoundMessage[]
  hasMore: boolean
  /** False while the vault has messages that the index lacks. Call `indexRooms`, then search again. */
  isComplete: boolean
  /** Ids of rooms with messages on the server, perhaps, that are older than this browser's. */
  unloaded: string[]
}

/** Messages that a search indexes before it returns: enough for those since the last search, not for a whole vault. */
const BEFORE_SEARCH = 1000
const AT_ONCE = 2000

/** Adds some messages that the index lacks of these rooms. Returns true if none are left. */
export const indexRooms = (vault: Vault, { chatRoomIds }: { chatRoomIds: string[] }): Promise<boolean> =>
  readIntoIndex(vault, chatRoomIds, AT_ONCE)

/**
 * Finds the newest messages of these rooms that have each word of the query, as a word or as a part of one. Ignores case and
 * accents. Does not store the query.
 */
export async function searchMessages(
  vault: Vault,
  { query, chatRoomIds, limit }: { query: string; chatRoomIds: string[]; limit: number },
): Promise<Found> {
  const { rooms, isComplete, unloaded } = await openIndex(vault, chatRoomIds, BEFORE_SEARCH)
  const needles = needlesOf(query)
  const places = newestPlaces(rooms, needles, limit + 1)
  const messages = await Promise.all(places.slice(0, limit).map((place) => readPlace(vault, place, needles)))
  return { messages: messages.filter((message) => message !== undefined), hasMore: places.length > limit, isComplete, unloaded }
}

interface FoundPlace {
  chatRoomId: string
  seq: number
  at: number
}

function newestPlaces(rooms: { chatRoomId: string; segments: Segment[] }[], needles: string[], count: number): FoundPlace[] {
  const all = rooms.flatMap(({ chatRoomId, segments }) => segments.map((segment) => ({ chatRoomId, segment })))
  all.sort((a, b) => b.segment.newestAt - a.segment.newestAt)
  let newest: FoundPlace[] = []
  for (const { chatRoomId, segment } of all) {
    // All further segments are older than the messages found.
    if ((newest[count - 1]?.at ?? Number.NEGATIVE_INFINITY) > segment.newestAt) break
    for (const index of matchesIn(segment, needles))
      newest.push({ chatRoomId, seq: segment.seqs[index] ?? 0, at: segment.ats[index] ?? 0 })
    newest = newest.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, count)
  }
  return newest
}

/** Indexes of a segment's messages that have every needle. The longest one is searched in the text of the whole segment. */
function matchesIn(segment: Segment, [longest, ...others]: string[]): number[] {
  const found: number[] = []
  if (longest === undefined) return found
  const { text, starts } = segment
  for (let at = text.indexOf(longest); at >= 0; ) {
    const index = indexAt(segment, at)
    const end = endOf(segment, index)
    const line = others.length > 0 ? text.slice(starts[index], end) : ''
    if (others.every((needle) => line.includes(needle))) found.push(index)
    at = text.indexOf(longest, end)
  }
  return found
}

async function readPlace(vault: Vault, { chatRoomId, seq }: FoundPlace, needles: string[]): Promise<FoundMessage | undefined> {
  const entry = await messageAt(vault, chatRoomId, seq)
  const [message] = entry ? foldEntries([entry]) : []
  const words = message && wordsIn(message.body)
  if (!message || words === undefined) return undefined
  const { id, senderId, at } = message
  return { chatRoomId, seq, id, senderId, at, isEncrypted: message.body.kind !== 'plain', ...snippetOf(words, needles) }
}
