import { z } from 'zod'
import { type Act, type Content, readSaid } from '../../../contract/chat/content.ts'
import { isAct, isCounted, isForwarded, isTyped, quoteIn } from '../../../contract/chat/kinds/kinds.ts'
import { forgottenWrite } from '../calls/notedCalls.ts'
import type { Live } from '../keys/live.ts'
import { exclusive } from '../vault/exclusive.ts'
import { seqOfMessage } from '../vault/storedMessage.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { draftWrite, replyWrite } from './begunRows.ts'
import { filesOf, nextOrder } from './queue.ts'

/** A retry sends the same `envelope`. */
export interface OutboxRow {
  id: string
  chatRoomId: string
  order: number
  /** null: a newer build's kind. */
  content: Content | Act | null
  replyToId: string | null
  sentAt: string
  envelope: string | null
  /** The server's text. */
  failure: string | null
  lifetime?: number | null
  /** A queued file comes first. */
  isHeld?: boolean
  /** The server may have earlier bytes. */
  wasSealed?: boolean
}

/** The own copy, because MLS does not open own messages. */
export interface OwnRow {
  /** Use `readSaid`. */
  content: unknown
  order: number
  /** ISO 8601; absent in older rows. */
  sentAt?: string
  /** Absent in older rows. */
  chatRoomId?: string
  /** The server may have these bytes. */
  envelope: string | null
  lifetime?: number | null
}

/** Locks the outbox across tabs. Take the room's lock first. */
export const withOutbox = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/outbox`, work)

const keptShape = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  order: z.number(),
  content: z.unknown(),
  replyToId: z.string().nullable(),
  sentAt: z.string(),
  envelope: z.string().nullable(),
  failure: z.string().nullable(),
  lifetime: z.number().nullable().exactOptional(),
})
export type KeptRow = z.infer<typeof keptShape>

const ownShape = z.looseObject({
  content: z.unknown(),
  order: z.number(),
  sentAt: z.string().exactOptional(),
  chatRoomId: z.string().exactOptional(),
  envelope: z.string().nullable(),
  lifetime: z.number().nullable().exactOptional(),
})

export const shown = (row: KeptRow): OutboxRow => ({ ...row, content: readSaid(row.content) ?? null })

export const outboxWrite = (row: KeptRow): Write => ({ store: 'outbox', key: [row.chatRoomId, row.order], value: { json: row } })
export const ownWrite = (chatRoomId: string, id: string, own: OwnRow | null): Write => ({
  store: 'own',
  key: id,
  value: own && { json: { ...own, chatRoomId } },
  chatRoomId,
})

/** For a message that the log has. */
export const settledWrites = (chatRoomId: string, id: string, { order }: OwnRow): Write[] => [
  ownWrite(chatRoomId, id, null),
  { store: 'outbox', key: [chatRoomId, order], value: null },
]

export async function outboxOf(live: Live, chatRoomId: string): Promise<OutboxRow[]> {
  const [rows, files] = await Promise.all([live.vault.all('outbox', chatRoomId), filesOf(live, chatRoomId)])
  const holding = files.filter(({ isHolding }) => isHolding)
  return rows.map(({ value }) => {
    const row = shown(jsonOf(keptShape, value))
    return { ...row, isHeld: holding.some(({ order }) => order < row.order) }
  })
}

export async function roomsWithOutbox({ vault }: Live): Promise<string[]> {
  return [...new Set((await vault.keys('outbox')).map(([chatRoomId]) => chatRoomId))]
}

export type NewMessage = Pick<OutboxRow, 'id' | 'chatRoomId' | 'replyToId' | 'sentAt'> & { content: Content | Act }

/** Stores a message before anything can fail. */
export function keepInOutbox(live: Live, message: NewMessage): Promise<OutboxRow> {
  return withOutbox(live, message.chatRoomId, async () => {
    const { content } = message
    const isBounded = isTyped(content) || isAct(content) || isForwarded(content)
    const kept = newRow(message, await nextOrder(live, message.chatRoomId, isBounded ? 1 : 0))
    const isWritten = isCounted(content) && !isForwarded(content)
    await live.vault.write(isWritten ? writtenWrites(kept) : await silentWrites(live, kept))
    return kept
  })
}

export const newRow = (message: NewMessage, order: number, envelope: string | null = null, lifetime: number | null = null) => ({
  ...message,
  order,
  envelope,
  failure: null,
  lifetime,
})

export const newWrites = (row: ReturnType<typeof newRow>): Write[] => {
  const { content, order, sentAt, envelope, lifetime } = row
  return [outboxWrite(row), ownWrite(row.chatRoomId, row.id, { content, order, sentAt, envelope, lifetime })]
}

/** A second row of one id would never settle. */
async function silentWrites(live: Live, row: ReturnType<typeof newRow>): Promise<Write[]> {
  if (row.content.type !== 'call') return newWrites(row)
  const name = { chatRoomId: row.chatRoomId, senderId: live.userId, id: row.id }
  const isWritten = (await ownRow(live, row.id)) !== undefined || (await seqOfMessage(live.vault, name)) !== undefined
  return [...(isWritten ? [] : newWrites(row)), forgottenWrite(row.content.callId)]
}

/** Ends the draft in the same write. */
export const writtenWrites = (row: ReturnType<typeof newRow>): Write[] => [
  ...newWrites(row),
  draftWrite(row.chatRoomId, ''),
  ...(quoteIn(row.content) ? [replyWrite(row.chatRoomId, null)] : []),
]

export async function ownRow({ vault }: Live, id: string): Promise<OwnRow | undefined> {
  const row = await vault.get('own', id)
  return row && jsonOf(ownShape, row)
}

export interface Kept {
  row: KeptRow
  own: OwnRow
}

export async function keptOf(live: Live, chatRoomId: string, id: string): Promise<Kept | undefined> {
  const own = await ownRow(live, id)
  const row = own && (await live.vault.get('outbox', [chatRoomId, own.order]))
  return own && row && { row: jsonOf(keptShape, row), own }
}

/** Sets or clears a failure; `unseal` drops bytes. */
export function changeOutbox(
  live: Live,
  input: { chatRoomId: string; id: string; failure: string | null; unseal: boolean },
): Promise<void> {
  return withOutbox(live, input.chatRoomId, async () => {
    const kept = await keptOf(live, input.chatRoomId, input.id)
    if (!kept) return
    const envelope = input.unseal ? null : kept.row.envelope
    const wasSealed = kept.own.envelope !== null
    await live.vault.write([outboxWrite({ ...kept.row, failure: input.failure, envelope, wasSealed })])
  })
}
