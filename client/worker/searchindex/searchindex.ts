import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { searchedIn } from '../../../contract/chat/kinds/kinds.ts'
import { exclusive } from '../vault/exclusive.ts'
import { entryAt, messagesOf, type StoredBody, type StoredMessage } from '../vault/storedMessage.ts'
import type { RoomReach } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { fold } from './foldText.ts'
import { type Head, headWrite, readHeads } from './heads.ts'
import { forgetSegments, holdSegment, openSegment, renewHeld, segmentKey } from './heldSegments.ts'
import { type Late, lateRows } from './lateMessages.ts'
import { type Entry, keptSegment, markOf, type Segment, type SegmentMark, withEntries } from './segments.ts'

/** A change makes every index again. */
const FORMAT = 2
const BATCH = 500
/** A room's least share of the budget. */
const ROOM_COST = 20
const OPENED_AT_ONCE = 32

export interface SegmentPlace {
  chatRoomId: string
  mark: SegmentMark
}

export interface Indexed {
  /** Newest first. */
  places: SegmentPlace[]
  /** False while the index lacks messages of the vault. */
  isComplete: boolean
  /** Room ids; the server may have older messages. */
  unloaded: string[]
}

/** Indexes about `budget` messages, newest first, in one tab at a time. Returns true if none are left. */
export function readIntoIndex(vault: Vault, asked: string[], budget: number): Promise<boolean> {
  return exclusive(lockOf(vault), async () => {
    const chatRoomIds = await withoutLocks(vault, asked)
    return (await advance(vault, chatRoomIds, budget)).every((room) => !isBehind(room))
  })
}

/** Indexes as `readIntoIndex`; no tab changes the index during `work`. */
export function withIndex<T>(vault: Vault, asked: string[], budget: number, work: (index: Indexed) => Promise<T>): Promise<T> {
  return exclusive(lockOf(vault), async () => {
    const chatRoomIds = await withoutLocks(vault, asked)
    const rooms = await advance(vault, chatRoomIds, budget)
    const whole = new Set(rooms.filter(({ reach }) => reach.from <= reach.cleared + 1).map(({ chatRoomId }) => chatRoomId))
    await markHeads(vault, rooms)
    for (const { chatRoomId, head } of rooms) forgetSegments(vault, chatRoomId, head.segments)
    const places = rooms.flatMap(({ chatRoomId, head }) => head.segments.filter(isMarked).map((mark) => ({ chatRoomId, mark })))
    return work({
      places: places.sort((a, b) => b.mark.newestAt - a.mark.newestAt),
      isComplete: rooms.every((room) => !isBehind(room)),
      unloaded: chatRoomIds.filter((chatRoomId) => !whole.has(chatRoomId)),
    })
  })
}

export async function openSegments(vault: Vault, places: SegmentPlace[], from: number): Promise<Segment[]> {
  const next = places.slice(from, from + OPENED_AT_ONCE)
  const segments = await Promise.all(next.map(({ chatRoomId, mark }) => openSegment(vault, chatRoomId, mark)))
  for (const [at, segment] of segments.entries()) holdSegment(vault, next[at]?.chatRoomId ?? '', segment)
  return segments
}

/** Forgets a room's opened segments. */
export const forgetIndex = (vault: Vault, chatRoomId: string): void => forgetSegments(vault, chatRoomId)

/** [Note: L1] A room with a password is never searched. */
async function withoutLocks(vault: Vault, chatRoomIds: string[]): Promise<string[]> {
  const locks = await vault.locks()
  return chatRoomIds.filter((chatRoomId) => !locks[chatRoomId])
}

const lockOf = ({ userId }: Vault) => `conclave/${userId}/search`

async function advance(vault: Vault, chatRoomIds: string[], budget: number): Promise<Room[]> {
  const [kept, late] = await Promise.all([readHeads(vault), lateRows(vault)])
  const rooms: Room[] = []
  for (const chatRoomId of chatRoomIds) {
    const reach = kept.reach(chatRoomId)
    if (!reach) continue
    const room = await roomOf(vault, chatRoomId, reach, kept.head(chatRoomId))
    rooms.push(room)
    const rows = late.filter((row) => row.chatRoomId === chatRoomId)
    if (rows.length > 0) await takeLate(vault, room, rows)
  }
  let behind = rooms.filter(isBehind)
  for (let left = budget; behind.length > 0 && left > 0; behind = behind.filter(isBehind))
    for (const room of behind) if (left > 0) left -= Math.max(ROOM_COST, await readBatch(vault, room))
  return rooms
}

/** Returns a message's searchable text, or undefined. */
export function wordsIn(body: StoredBody): string | undefined {
  if (body.kind === 'content') return searchedIn(body.content)
  return body.kind === 'plain' ? body.text : undefined
}

interface Room {
  chatRoomId: string
  reach: RoomReach
  head: Head
}

const isBehind = ({ reach, head }: Room): boolean => head.last < reach.cursor || head.first > reach.from

async function roomOf(vault: Vault, chatRoomId: string, reach: RoomReach, head: Head | undefined): Promise<Room> {
  const empty = { format: FORMAT, first: reach.cursor + 1, last: reach.cursor, next: head?.next ?? 0, segments: [] }
  if (!head) return { chatRoomId, reach, head: empty }
  // A device that joined again has a later first seq.
  if (head.format === FORMAT && head.first >= reach.from) return { chatRoomId, reach, head }
  const gone = head.segments.map(({ number }) => segmentWrite(chatRoomId, number, null))
  await vault.write([...gone, headWrite(chatRoomId, empty)])
  forgetSegments(vault, chatRoomId)
  return { chatRoomId, reach, head: empty }
}

/** Heads of older builds lack marks. */
async function markHeads(vault: Vault, rooms: Room[]): Promise<void> {
  const unmarked = rooms.filter(({ head }) => !head.segments.every(isMarked))
  for (let from = 0; from < unmarked.length; from += OPENED_AT_ONCE)
    await Promise.all(
      unmarked.slice(from, from + OPENED_AT_ONCE).map(async (room) => {
        room.head = { ...room.head, segments: await marksIn(vault, room) }
      }),
    )
  if (unmarked.length > 0) await vault.write(unmarked.map(({ chatRoomId, head }) => headWrite(chatRoomId, head)))
}

async function marksIn(vault: Vault, { chatRoomId, head }: Room): Promise<SegmentMark[]> {
  const marks: SegmentMark[] = []
  for (const mark of head.segments) {
    if (isMarked(mark)) {
      marks.push(mark)
      continue
    }
    const segment = await openSegment(vault, chatRoomId, mark)
    holdSegment(vault, chatRoomId, segment)
    marks.push(markOf(segment))
  }
  return marks
}

const isMarked = (mark: Partial<SegmentMark> & Pick<SegmentMark, 'number' | 'version'>): mark is SegmentMark =>
  mark.first !== undefined && mark.newestAt !== undefined

/** Takes newer messages, else older ones. Returns their number. */
async function readBatch(vault: Vault, room: Room): Promise<number> {
  const { chatRoomId, reach, head } = room
  const { first, last } = head
  const isAbove = last < reach.cursor
  const range = isAbove ? { after: last, before: reach.cursor + 1 } : { before: first }
  const messages = (await messagesOf(vault, chatRoomId, { ...range, limit: BATCH })).filter(({ seq }) => seq >= reach.from)
  const isEnd = messages.length < BATCH
  const reached = isAbove
    ? { first, last: isEnd ? reach.cursor : (messages.at(-1)?.seq ?? last) }
    : { first: isEnd ? reach.from : (messages[0]?.seq ?? first), last }
  await grow(vault, room, foldEntries(messages).map(entryOf).filter(hasText), reached)
  return messages.length
}

/** Messages outside the indexed range come with their neighbours. */
async function takeLate(vault: Vault, room: Room, rows: Late[]): Promise<void> {
  const { first, last } = room.head
  const seqs = rows.flatMap((row) => row.seqs).filter((seq) => seq >= first && seq <= last)
  const found = await Promise.all(seqs.map((seq) => entryAt(vault, room.chatRoomId, seq)))
  const entries = found.filter((entry) => entry !== undefined)
  const ended = entries.filter(({ body }) => body.kind === 'act' && body.act === null)
  const done = rows.map(({ key }): Write => ({ store: 'sealed', key, value: null }))
  await grow(vault, room, [...foldEntries(entries), ...ended].map(entryOf), { first, last }, done)
}

async function grow(
  vault: Vault,
  room: Room,
  entries: Entry[],
  reached: { first: number; last: number },
  writes: Write[] = [],
): Promise<void> {
  const { chatRoomId, head } = room
  const open = (mark: SegmentMark) => openSegment(vault, chatRoomId, mark)
  const { marks, changed, next } = await withEntries(await marksIn(vault, room), entries, head.next, open)
  const grown = { format: FORMAT, ...reached, next, segments: marks }
  const kept = changed.map((segment) => segmentWrite(chatRoomId, segment.number, segment))
  await vault.write([...kept, ...writes, headWrite(chatRoomId, grown)])
  for (const segment of changed) renewHeld(vault, chatRoomId, segment)
  room.head = grown
}

const segmentWrite = (chatRoomId: string, number: number, segment: Segment | null): Write => ({
  store: 'sealed',
  key: segmentKey(chatRoomId, number),
  value: segment && { json: keptSegment(segment) },
})

const entryOf = ({ seq, at, body }: StoredMessage): Entry => ({ seq, at: Date.parse(at) || 0, text: fold(wordsIn(body) ?? '') })
const hasText = ({ text }: Entry): boolean => text !== ''
