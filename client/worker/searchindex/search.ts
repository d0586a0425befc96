import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { messageAt } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'
import { needlesOf } from './foldText.ts'
import { type Indexed, openSegments, readIntoIndex, withIndex, wordsIn } from './searchindex.ts'
import { endOf, indexAt, type Segment } from './segments.ts'
import { type Snippet, snippetOf } from './snippet.ts'

export interface FoundMessage extends Snippet {
  chatRoomId: string
  seq: number
  id: string
  senderId: string
  /** ISO 8601, the server's time. */
  at: string
  /** False for words that no device sealed. */
  isEncrypted: boolean
}

export interface Found {
  /** Newest first. */
  messages: FoundMessage[]
  hasMore: boolean
  /** False while the index lacks messages: search again. */
  isComplete: boolean
  /** Room ids; the server may have older messages. */
  unloaded: string[]
}

/** Enough for the messages since the last search. */
const BEFORE_SEARCH = 1000
const AT_ONCE = 2000

/** Indexes some messages. Returns true if none are left. */
export const indexRooms = (vault: Vault, { chatRoomIds }: { chatRoomIds: string[] }): Promise<boolean> =>
  readIntoIndex(vault, chatRoomIds, AT_ONCE)

/** Finds the newest messages with every word of the query, which is not stored. */
export async function searchMessages(
  vault: Vault,
  { query, chatRoomIds, limit }: { query: string; chatRoomIds: string[]; limit: number },
): Promise<Found> {
  const needles = needlesOf(query)
  const { found, isComplete, unloaded } = await withIndex(vault, chatRoomIds, BEFORE_SEARCH, async (index) => ({
    ...index,
    found: await newestPlaces(vault, index, needles, limit + 1),
  }))
  const messages = await Promise.all(found.slice(0, limit).map((place) => readPlace(vault, place, needles)))
  return { messages: messages.filter((message) => message !== undefined), hasMore: found.length > limit, isComplete, unloaded }
}

interface FoundPlace {
  chatRoomId: string
  seq: number
  at: number
}

/** Opens no segment that is older than all that is to be returned. */
async function newestPlaces(vault: Vault, { places }: Indexed, needles: string[], count: number): Promise<FoundPlace[]> {
  let newest: FoundPlace[] = []
  if (needles.length === 0) return newest
  let segments: Segment[] = []
  let from = 0
  for (const [at, { chatRoomId, mark }] of places.entries()) {
    if ((newest[count - 1]?.at ?? Number.NEGATIVE_INFINITY) > mark.newestAt) break
    if (at - from >= segments.length) {
      from = at
      segments = await openSegments(vault, places, from)
    }
    const segment = segments[at - from]
    if (!segment) continue
    for (const index of matchesIn(segment, needles))
      newest.push({ chatRoomId, seq: segment.seqs[index] ?? 0, at: segment.ats[index] ?? 0 })
    newest = newest.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, count)
  }
  return newest
}

/** The longest needle is searched in the whole segment's text. */
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
