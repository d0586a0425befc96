import { z } from 'zod'
import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { searchedIn } from '../../../contract/chat/kinds/kinds.ts'
import { exclusive } from '../vault/exclusive.ts'
import { entryAt, messagesOf, type StoredBody, type StoredMessage } from '../vault/storedMessage.ts'
import { type RoomRecord, roomRecords } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { fold } from './foldText.ts'
import { type Late, lateRows } from './lateMessages.ts'
import { type Entry, keptSegment, readSegment, type Segment, withEntries } from './segments.ts'

/** A change makes every index again. */
const FORMAT = 2
const BATCH = 500
/** A room's least share of the budget. */
const ROOM_COST = 20

interface Head {
  format: number
  first: number
  last: number
  next: number
  /** Oldest first. */
  segments: { number: number; version: number }[]
}

export interface Indexed {
  rooms: { chatRoomId: string; segments: Segment[] }[]
  /** False while the index lacks messages of the vault. */
  isComplete: boolean
  /** Room ids; the server may have older messages. */
  unloaded: string[]
}

const headShape: z.ZodType<Head> = z.object({
  format: z.number(),
  first: z.number(),
  last: z.number(),
  next: z.number(),
  segments: z.array(z.object({ number: z.number(), version: z.number() })),
})

const HEADS = 'searchhead:'
const segmentKey = (chatRoomId: string, number: number) => `search:${chatRoomId}:${number}`

const memory = new WeakMap<Vault, Map<string, Segment[]>>()

function memoryOf(vault: Vault): Map<string, Segment[]> {
  const known = memory.get(vault) ?? new Map()
  memory.set(vault, known)
  return known
}

/** Indexes about `budget` messages, newest first, in one tab at a time. Returns true if none are left. */
export function readIntoIndex(vault: Vault, asked: string[], budget: number): Promise<boolean> {
  return exclusive(lockOf(vault), async () => {
    const chatRoomIds = await withoutLocks(vault, asked)
    return (await advance(vault, chatRoomIds, budget)).every((room) => !isBehind(room))
  })
}

/** Indexes as `readIntoIndex`, and returns the segments to search. */
export function openIndex(vault: Vault, asked: string[], budget: number): Promise<Indexed> {
  return exclusive(lockOf(vault), async () => {
    const chatRoomIds = await withoutLocks(vault, asked)
    const rooms = await advance(vault, chatRoomIds, budget)
    const whole = new Set(
      rooms.filter(({ record }) => record.from <= (record.cleared ?? 0) + 1).map(({ chatRoomId }) => chatRoomId),
    )
    return {
      rooms: await Promise.all(
        rooms.map(async (room) => ({ chatRoomId: room.chatRoomId, segments: await segmentsOf(vault, room) })),
      ),
      isComplete: rooms.every((room) => !isBehind(room)),
      unloaded: chatRoomIds.filter((chatRoomId) => !whole.has(chatRoomId)),
    }
  })
}

/** Forgets a room's opened segments. */
export const forgetIndex = (vault: Vault, chatRoomId: string): void => void memoryOf(vault).delete(chatRoomId)

/** [Note: L1] A room with a password is never searched. */
async function withoutLocks(vault: Vault, chatRoomIds: string[]): Promise<string[]> {
  const locks = await vault.locks()
  return chatRoomIds.filter((chatRoomId) => !locks[chatRoomId])
}

const lockOf = ({ userId }: Vault) => `conclave/${userId}/search`

async function advance(vault: Vault, chatRoomIds: string[], budget: number): Promise<Room[]> {
  const [records, heads, late] = await Promise.all([roomRecords(vault), headsOf(vault), lateRows(vault)])
  const rooms: Room[] = []
  for (const chatRoomId of chatRoomIds) {
    const record = records.get(chatRoomId)
    if (!record) continue
    const room = await roomOf(vault, chatRoomId, record, heads.get(chatRoomId))
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
  record: RoomRecord
  head: Head
}

const isBehind = ({ record, head }: Room): boolean => head.last < record.cursor || head.first > record.from

async function headsOf(vault: Vault): Promise<Map<string, Head>> {
  const rows = await vault.named(HEADS)
  return new Map(rows.map(({ key, value }) => [key.slice(HEADS.length), jsonOf(headShape, value)]))
}

async function roomOf(vault: Vault, chatRoomId: string, record: RoomRecord, head: Head | undefined): Promise<Room> {
  const empty = { format: FORMAT, first: record.cursor + 1, last: record.cursor, next: head?.next ?? 0, segments: [] }
  if (!head) return { chatRoomId, record, head: empty }
  // A device that joined again has a later first seq.
  if (head.format === FORMAT && head.first >= record.from) return { chatRoomId, record, head }
  const gone = head.segments.map(({ number }) => segmentWrite(chatRoomId, number, null))
  await vault.write([...gone, headWrite(chatRoomId, empty)])
  return { chatRoomId, record, head: empty }
}

async function segmentsOf(vault: Vault, { chatRoomId, head }: Room): Promise<Segment[]> {
  const known = memoryOf(vault).get(chatRoomId)
  const segments = await Promise.all(
    head.segments.map(async ({ number, version }) => {
      const held = known?.find((segment) => segment.number === number && segment.version === version)
      return held ?? readSegment(number, version, (await vault.get('sealed', segmentKey(chatRoomId, number))) ?? { json: null })
    }),
  )
  memoryOf(vault).set(chatRoomId, segments)
  return segments
}

/** Takes newer messages, else older ones. Returns their number. */
async function readBatch(vault: Vault, room: Room): Promise<number> {
  const { chatRoomId, record, head } = room
  const { first, last } = head
  const isAbove = last < record.cursor
  const range = isAbove ? { after: last, before: record.cursor + 1 } : { before: first }
  const messages = (await messagesOf(vault, chatRoomId, { ...range, limit: BATCH })).filter(({ seq }) => seq >= record.from)
  const isEnd = messages.length < BATCH
  const reached = isAbove
    ? { first, last: isEnd ? record.cursor : (messages.at(-1)?.seq ?? last) }
    : { first: isEnd ? record.from : (messages[0]?.seq ?? first), last }
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
  const { segments, changed, next } = withEntries(await segmentsOf(vault, room), entries, head.next)
  const grown = { format: FORMAT, ...reached, next, segments: segments.map(({ number, version }) => ({ number, version })) }
  const kept = changed.map((segment) => segmentWrite(chatRoomId, segment.number, segment))
  await vault.write([...kept, ...writes, headWrite(chatRoomId, grown)])
  memoryOf(vault).set(chatRoomId, segments)
  room.head = grown
}

const headWrite = (chatRoomId: string, head: Head): Write => ({
  store: 'sealed',
  key: `${HEADS}${chatRoomId}`,
  value: { json: head },
})

const segmentWrite = (chatRoomId: string, number: number, segment: Segment | null): Write => ({
  store: 'sealed',
  key: segmentKey(chatRoomId, number),
  value: segment && { json: keptSegment(segment) },
})

const entryOf = ({ seq, at, body }: StoredMessage): Entry => ({ seq, at: Date.parse(at) || 0, text: fold(wordsIn(body) ?? '') })
const hasText = ({ text }: Entry): boolean => text !== ''
