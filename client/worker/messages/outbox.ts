import { z } from 'zod'
import { type Content, readContent } from '../../../contract/chat/content.ts'
import type { Live } from '../keys/live.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** A message that the server has not acknowledged. `envelope` has the sealed bytes, so that a retry sends the same. */
export interface OutboxRow {
  id: string
  chatRoomId: string
  /** The order of sending; it rises with each message of this device. */
  order: number
  /** null if this build does not know its kind: a newer tab of this browser wrote it, and sends it. */
  content: Content | null
  replyToId: string | null
  /** ISO 8601, the device's clock. */
  sentAt: string
  envelope: string | null
  /** The server's error text, if the person must decide; else null. */
  failure: string | null
}

/** This device's copy of an own message until its seq is known: MLS does not open own messages. */
export interface OwnRow {
  /** The content as a build of any age wrote it: parse it with `readContent`. */
  content: unknown
  /** Its key in the outbox. */
  order: number
  /** ISO 8601, this device's clock; absent in rows of older builds. */
  sentAt?: string
  /** Its room; absent in rows of older builds. */
  chatRoomId?: string
  /**
   * The newest sealed bytes; null before the first. They are kept after the outbox row is dropped, because the server may have
   * them.
   */
  envelope: string | null
}

/**
 * Runs one change of a room's outbox at a time, across tabs. If the room's lock is needed too, take that first: sealing and
 * settling must not run during a change that the person makes.
 */
export const withOutbox = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/outbox`, work)

/** Keeps what is written in a room in the order of the calls, across tabs: messages, and the draft that each of them ends. */
export const inKeepingOrder = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/keep`, work)

/** The stored row: content of any kind, and fields that a newer build has added. */
const keptShape = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  order: z.number(),
  content: z.unknown(),
  replyToId: z.string().nullable(),
  sentAt: z.string(),
  envelope: z.string().nullable(),
  failure: z.string().nullable(),
})
export type KeptRow = z.infer<typeof keptShape>

const ownShape = z.looseObject({
  content: z.unknown(),
  order: z.number(),
  sentAt: z.string().exactOptional(),
  chatRoomId: z.string().exactOptional(),
  envelope: z.string().nullable(),
})

export const shown = (row: KeptRow): OutboxRow => ({ ...row, content: readContent(row.content) ?? null })

export const outboxWrite = (row: KeptRow): Write => ({ store: 'outbox', key: [row.chatRoomId, row.order], value: { json: row } })
export const ownWrite = (chatRoomId: string, id: string, own: OwnRow | null): Write => ({
  store: 'own',
  key: id,
  value: own && { json: { ...own, chatRoomId } },
  chatRoomId,
})

/** The changes that remove a message from the outbox once the log has it. */
export const settledWrites = (chatRoomId: string, id: string, { order }: OwnRow): Write[] => [
  ownWrite(chatRoomId, id, null),
  { store: 'outbox', key: [chatRoomId, order], value: null },
]

/** The unsent messages of a room, in order. */
export async function outboxOf({ vault }: Live, chatRoomId: string): Promise<OutboxRow[]> {
  return (await vault.all('outbox', chatRoomId)).map(({ value }) => shown(jsonOf(keptShape, value)))
}

/** The rooms with unsent messages. */
export async function roomsWithOutbox({ vault }: Live): Promise<string[]> {
  return [...new Set((await vault.keys('outbox')).map(([chatRoomId]) => chatRoomId))]
}

/** A message that the person has just sent. */
export type NewMessage = Pick<OutboxRow, 'id' | 'chatRoomId' | 'replyToId' | 'sentAt'> & { content: Content }

/** Stores a message before anything else is done with it, so that a reload or a crash does not lose it. */
export function keepInOutbox(live: Live, message: NewMessage): Promise<OutboxRow> {
  return withOutbox(live, message.chatRoomId, async () => {
    const kept = newRow(message, await outboxOf(live, message.chatRoomId))
    await live.vault.write(writtenWrites(kept))
    return kept
  })
}

/** The row of a message behind those that the outbox has. */
export function newRow(message: NewMessage, rows: OutboxRow[], envelope: string | null = null) {
  const order = Math.max((rows.at(-1)?.order ?? 0) + 1, Date.now() * 1000)
  return { ...message, order, envelope, failure: null }
}

/** The changes that store a new row and this device's copy of it. */
export const newWrites = (row: ReturnType<typeof newRow>): Write[] => [
  outboxWrite(row),
  ownWrite(row.chatRoomId, row.id, { content: row.content, order: row.order, sentAt: row.sentAt, envelope: row.envelope }),
]

/** The same for a message from the composer: its words are the draft no more. On disk are the draft or the message, never both or neither. */
export const writtenWrites = (row: ReturnType<typeof newRow>): Write[] => [...newWrites(row), draftWrite(row.chatRoomId, '')]

/** This device's copy of an own message. */
export async function ownRow({ vault }: Live, id: string): Promise<OwnRow | undefined> {
  const row = await vault.get('own', id)
  return row && jsonOf(ownShape, row)
}

interface Kept {
  row: KeptRow
  own: OwnRow
}

/** One outbox row and its own copy, without reading the other rows. */
export async function keptOf(live: Live, chatRoomId: string, id: string): Promise<Kept | undefined> {
  const own = await ownRow(live, id)
  const row = own && (await live.vault.get('outbox', [chatRoomId, own.order]))
  return own && row && { row: jsonOf(keptShape, row), own }
}

/** Sets a row's failure, or clears it for another attempt; `unseal` drops sealed bytes of an epoch that the room has left. */
export function changeOutbox(
  live: Live,
  input: { chatRoomId: string; id: string; failure: string | null; unseal: boolean },
): Promise<void> {
  return withOutbox(live, input.chatRoomId, async () => {
    const kept = await keptOf(live, input.chatRoomId, input.id)
    if (!kept) return
    const envelope = input.unseal ? null : kept.row.envelope
    await live.vault.write([outboxWrite({ ...kept.row, failure: input.failure, envelope })])
  })
}

/** Removes a message for good: the person deleted it, or it returns to the composer, and `draft` is what stands there then. */
export function dropFromOutbox(live: Live, input: { chatRoomId: string; id: string; draft?: string }): Promise<void> {
  const { chatRoomId, id, draft } = input
  return withOutbox(live, chatRoomId, async () => {
    const kept = await keptOf(live, chatRoomId, id)
    if (kept) await live.vault.write([...droppedWrites(chatRoomId, id, kept), ...(draft ? [draftWrite(chatRoomId, draft)] : [])])
  })
}

/** The changes that remove a message which the log does not have. */
export const droppedWrites = (chatRoomId: string, id: string, { own }: Kept): Write[] => [
  { store: 'outbox', key: [chatRoomId, own.order], value: null },
  // Sealed bytes may be under way: if the log shows them later, this copy proves that they are this device's [Note: V2].
  ...(own.envelope === null ? [ownWrite(chatRoomId, id, null)] : []),
]

const DRAFT = 'draft:'

/** The unsent text in a room's composer. */
export async function readDraft({ vault }: Live, chatRoomId: string): Promise<string> {
  const row = await vault.get('sealed', `${DRAFT}${chatRoomId}`)
  return row ? jsonOf(z.string(), row) : ''
}

/** All of them. */
export async function drafts({ vault }: Live): Promise<{ chatRoomId: string; text: string }[]> {
  const rows = await vault.named(DRAFT)
  return rows.map(({ key, value }) => ({ chatRoomId: key.slice(DRAFT.length), text: jsonOf(z.string(), value) }))
}

const draftWrite = (chatRoomId: string, text: string): Write => ({
  store: 'sealed',
  key: `${DRAFT}${chatRoomId}`,
  value: text ? { json: text } : null,
})

/** Stores the unsent text: before a message that is kept after this call, and after one that is being kept. */
export const keepDraftText = (live: Live, { chatRoomId, text }: { chatRoomId: string; text: string }): Promise<void> =>
  inKeepingOrder(live, chatRoomId, () => live.vault.write([draftWrite(chatRoomId, text)]))
