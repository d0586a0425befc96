import { z } from 'zod'
import type { Content, TimerContent } from '../../../contract/chat/content.ts'
import { LIFETIMES } from '../../../contract/chat/lifetimes.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from '../lists/book.ts'
import { rereadWrite } from '../searchindex/lateMessages.ts'
import { entryAt, messageAt, messagesOf, messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import { type MessagePage, pageOf } from '../vault/storedPage.ts'
import { type RoomRecord, recordWrite, roomRecord, type Timer } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { forgottenBegun } from './begunRows.ts'
import { dropTraces } from './dropDeleted.ts'
import { isOnce, spent, withoutOwnFiles } from './once.ts'
import { type OutboxRow, outboxOf, ownWrite } from './outbox.ts'
import type { TakenActs } from './takenActs.ts'

/** `isRunning`: sent from here, or read. */
interface Ending {
  seq: number
  /** Seconds. */
  lifetime: number
  endsMs: number
  isRunning: boolean
}

/** The oldest of more end early. */
const ENDINGS_MAX = 10_000
const TIMED = 'timed:'
const CLOCK = 'clock'
const FAR_MS = 10 * 60_000

const endingsShape = z.array(z.tuple([z.number(), z.number(), z.number(), z.number()]))

async function endingsOf(vault: Vault, chatRoomId: string): Promise<Ending[]> {
  const row = await vault.get('sealed', `${TIMED}${chatRoomId}`)
  const rows = row ? jsonOf(endingsShape, row) : []
  return rows.map(([seq, lifetime, endsMs, isRunning]) => ({ seq, lifetime, endsMs, isRunning: isRunning === 1 }))
}

const endingsWrite = (chatRoomId: string, endings: Ending[]): Write => ({
  store: 'sealed',
  key: `${TIMED}${chatRoomId}`,
  value:
    endings.length > 0
      ? { json: endings.map(({ seq, lifetime, endsMs, isRunning }) => [seq, lifetime, endsMs, isRunning ? 1 : 0]) }
      : null,
})

const nextEnd = (endings: Ending[]): Pick<RoomRecord, 'nextEndMs'> =>
  endings.length > 0 ? { nextEndMs: endings.reduce((next, { endsMs }) => Math.min(next, endsMs), Number.MAX_SAFE_INTEGER) } : {}

function bounded(endings: Ending[]): Ending[] {
  const over = endings.length - ENDINGS_MAX
  return over > 0 ? endings.map((ending, at) => (at < over ? { ...ending, endsMs: 0 } : ending)) : endings
}

/** Returns the greatest time seen, in ms: a clock set back prolongs nothing. Only a server's time that agrees with the clock counts. */
async function seenTime(vault: Vault, serverMs = 0): Promise<{ nowMs: number; writes: Write[] }> {
  const own = Date.now()
  const row = await vault.get('sealed', CLOCK)
  const known = row ? jsonOf(z.number(), row) : 0
  const nowMs = Math.abs(own - serverMs) < FAR_MS ? Math.max(own, serverMs) : Math.max(own, known)
  const isOther = Math.abs(nowMs - known) > FAR_MS / 10
  return { nowMs, writes: isOther ? [{ store: 'sealed', key: CLOCK, value: { json: nowMs } }] : [] }
}

/** Notes when new messages end, and the chat's timer. The caller commits the writes. */
export async function takeLifetimes({ vault, userId }: Live, chatRoomId: string, found: TakenActs): Promise<TakenActs> {
  const taken = withoutOwnFiles(userId, found)
  const { entries } = taken
  const fresh = entries.filter(({ isOlder }) => !isOlder).map(({ at }) => Date.parse(at))
  const { nowMs, writes } = await seenTime(vault, Math.max(0, ...fresh))
  const endings = new Map((await endingsOf(vault, chatRoomId)).map((ending) => [ending.seq, ending]))
  for (const entry of entries) {
    const ending = endingOf(entry, userId, nowMs)
    if (ending) endings.set(entry.seq, ending)
  }
  const list = bounded([...endings.values()].sort((a, b) => a.seq - b.seq))
  const timer = await timerIn(vault, chatRoomId, entries)
  return {
    ...taken,
    writes: [...taken.writes, ...writes, endingsWrite(chatRoomId, list)],
    roomChange: { ...taken.roomChange, ...(timer && { timer }), ...nextEnd(list) },
  }
}

/** Returns undefined for what does not end by itself. */
function endingOf(entry: StoredMessage, userId: string, nowMs: number): Ending | undefined {
  const { seq, senderId, at, lifetime, body } = entry
  const sentMs = Math.min(Date.parse(at), nowMs)
  const unreadMs = LIFETIMES.unread * 1000
  const isUnopened = isOnce(entry) && entry.body.content.file !== undefined
  if (lifetime === undefined)
    return isUnopened ? { seq, lifetime: LIFETIMES.unread, endsMs: sentMs + unreadMs, isRunning: true } : undefined
  // The line of a timer stays: it says who set it.
  if (isTimer(body)) return undefined
  // Nobody reads an edit by itself.
  const isRunning = senderId === userId || body.kind === 'act'
  const endsMs = (isRunning ? sentMs : nowMs + unreadMs) + lifetime * 1000
  return { seq, lifetime, endsMs: isUnopened ? Math.min(endsMs, sentMs + unreadMs) : endsMs, isRunning }
}

async function timerIn(vault: Vault, chatRoomId: string, entries: StoredMessage[]): Promise<Timer | undefined> {
  const said = entries.filter(({ body, isRemovedSince }) => body.kind === 'content' && !isRemovedSince)
  const line = said.findLast(({ body }) => isTimer(body))
  if (line && isTimer(line.body)) return { seq: line.seq, seconds: line.body.content.seconds, isSaid: true }
  const hint = said.findLast(({ lifetime }) => lifetime !== undefined)
  const record = hint && (await roomRecord(vault, chatRoomId))
  if (!hint?.lifetime || record?.timer?.isSaid) return undefined
  // A whole log has the line of its timer, unless the chat began with a lifetime.
  const [kept] = record && record.from <= 1 ? await messagesOf(vault, chatRoomId, { after: 0, limit: 1 }) : [hint]
  const first = kept ?? said[0]
  if (first?.body.kind === 'content' && first.lifetime === undefined) return undefined
  return { seq: hint.seq, seconds: hint.lifetime, isSaid: false }
}

type TimerBody = { kind: 'content'; content: TimerContent }

const isTimer = (body: StoredMessage['body']): body is TimerBody => body.kind === 'content' && body.content.type === 'timer'

/** Starts what is read. Returns true if pages changed. */
export const startLifetimes = (
  live: Live,
  { chatRoomId, readSeq, readAtMs = Number.POSITIVE_INFINITY }: { chatRoomId: string; readSeq: number; readAtMs?: number },
): Promise<boolean> =>
  inRoom(live, chatRoomId, async () => {
    const { vault } = live
    const [known, record] = await Promise.all([endingsOf(vault, chatRoomId), roomRecord(vault, chatRoomId)])
    if (!record || !known.some(({ seq, isRunning }) => !isRunning && seq <= readSeq)) return false
    const { nowMs, writes } = await seenTime(vault)
    const endings = known.map((ending) => {
      if (ending.isRunning || ending.seq > readSeq) return ending
      return { ...ending, endsMs: Math.min(ending.endsMs, Math.min(nowMs, readAtMs) + ending.lifetime * 1000), isRunning: true }
    })
    await vault.write([...writes, endingsWrite(chatRoomId, endings), recordWrite(chatRoomId, changed(record, endings))])
    return true
  })

function changed({ nextEndMs: _, ...record }: RoomRecord, endings: Ending[]): RoomRecord {
  return { ...record, changes: (record.changes ?? 0) + 1, ...nextEnd(endings) }
}

export interface Ended {
  chatRoomIds: string[]
  nextMs: number | undefined
}

/** Leaves locked chats until they open. */
export async function endDue(live: Live): Promise<Ended> {
  const { vault } = live
  const { nowMs, writes } = await seenTime(vault)
  if (writes.length > 0) await vault.write(writes)
  const chatRoomIds: string[] = []
  let nextMs: number | undefined
  for (const key of await vault.keys('sealed', TIMED)) {
    const chatRoomId = key.slice(TIMED.length)
    if (!(await vault.isOpen(chatRoomId))) continue
    const before = await endingsOf(vault, chatRoomId)
    const isDue = before.some(({ endsMs }) => endsMs <= nowMs)
    if (isDue) {
      await endIn(live, chatRoomId, nowMs)
      chatRoomIds.push(chatRoomId)
    }
    for (const { endsMs } of before) if (endsMs > nowMs) nextMs = Math.min(endsMs, nextMs ?? endsMs)
  }
  return { chatRoomIds, nextMs }
}

/** Place and hash stay. */
const endIn = (live: Live, chatRoomId: string, nowMs: number): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const { vault } = live
    const [endings, record] = await Promise.all([endingsOf(vault, chatRoomId), roomRecord(vault, chatRoomId)])
    const due = endings.filter(({ endsMs }) => endsMs <= nowMs)
    if (!record || due.length === 0) return
    const left = endings.filter(({ endsMs }) => endsMs > nowMs)
    const unsent = await outboxOf(live, chatRoomId)
    const gone: Content[] = []
    const writes: Write[] = [endingsWrite(chatRoomId, left), recordWrite(chatRoomId, changed(record, left))]
    for (const { seq } of due) {
      const entry = await entryAt(vault, chatRoomId, seq)
      if (entry && entry.lifetime === undefined && isOnce(entry)) writes.push(...messageWrites(spent(entry)))
      // A shortened log has others in their places.
      if (entry?.lifetime === undefined) continue
      if (entry.body.kind === 'content') gone.push(entry.body.content)
      writes.push(...(await endWrites(vault, entry, unsent)))
    }
    await vault.write(writes)
    if (gone.length > 0) await dropTraces(live, chatRoomId, gone)
  })

export async function endWrites(
  vault: Vault,
  { acts, lifetime: _, ...entry }: StoredMessage,
  unsent: OutboxRow[],
): Promise<Write[]> {
  const { chatRoomId } = entry
  const edits = await Promise.all((acts?.edits ?? []).map((seq) => messageAt(vault, chatRoomId, -seq)))
  const ended = [entry, ...edits].flatMap((one) => (one ? messageWrites({ ...one, body: { kind: 'act', act: null } }) : []))
  if (entry.body.kind === 'act') return ended
  return [...ended, rereadWrite(chatRoomId, entry), ...(await forgottenBegun(vault, entry)), ...droppedActs(unsent, entry)]
}

/** What waits to change it changes nothing any more. A `hide` is for the other browsers. */
function droppedActs(unsent: OutboxRow[], { chatRoomId, senderId, id }: StoredMessage): Write[] {
  const meant = unsent.filter(({ content }) => {
    if (!content || !('target' in content) || content.type === 'hide') return false
    return content.target.senderId === senderId && content.target.id === id
  })
  return meant.flatMap((row): Write[] => [
    { store: 'outbox', key: [chatRoomId, row.order], value: null },
    ...(row.envelope === null ? [ownWrite(chatRoomId, row.id, null)] : []),
  ])
}

/** Returns the page without what has ended, with the ends of what has not. */
export async function withEnds(live: Live, input: Parameters<typeof pageOf>[1], read: MessagePage): Promise<MessagePage> {
  const { vault } = live
  const { chatRoomId } = input
  const { nowMs } = await seenTime(vault)
  let page = read
  if ((page.nextEndMs ?? 0) <= nowMs) {
    await endIn(live, chatRoomId, nowMs)
    page = await pageOf(vault, input)
  }
  const endings = await endingsOf(vault, chatRoomId)
  const ends = new Map(endings.filter(({ isRunning }) => isRunning).map(({ seq, endsMs }) => [seq, endsMs]))
  const unbegun = endings.find(({ isRunning }) => !isRunning)?.seq
  const messages = page.messages.map((message) => {
    const endsMs = ends.get(message.seq)
    return endsMs === undefined ? message : { ...message, endsMs }
  })
  return { ...page, messages, ...(unbegun !== undefined && { unbegun }) }
}

/** Returns the seconds of the timer that a new chat begins with; 0 without one. */
export const readNewTimer = async (live: Live): Promise<number> => (await readBook(live)).book.newTimer?.seconds ?? 0

export const setNewTimer = (live: Live, seconds: number): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const newTimer = { ...row.book.newTimer, seconds, n: (row.book.newTimer?.n ?? 0) + 1 }
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, newTimer } })])
  })
