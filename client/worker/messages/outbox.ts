import { z } from 'zod'
import { type Act, type Content, type Quote, readSaid, type Target } from '../../../contract/chat/content.ts'
import { isAct, isCounted, isTyped, quoteIn } from '../../../contract/chat/kinds/kinds.ts'
import { forgottenWrite } from '../calls/notedCalls.ts'
import type { Live } from '../keys/live.ts'
import { exclusive } from '../vault/exclusive.ts'
import { type MessageName, seqOfMessage } from '../vault/storedMessage.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
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
}

/** Locks the outbox across tabs. Take the room's lock first. */
export const withOutbox = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/outbox`, work)

/** Keeps the order of calls, across tabs. */
export const inKeepingOrder = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/keep`, work)

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
    const kept = newRow(message, await nextOrder(live, message.chatRoomId, isTyped(message.content) || isAct(message.content)))
    await live.vault.write(isCounted(message.content) ? writtenWrites(kept) : await silentWrites(live, kept))
    return kept
  })
}

export const newRow = (message: NewMessage, order: number, envelope: string | null = null) => ({
  ...message,
  order,
  envelope,
  failure: null,
})

export const newWrites = (row: ReturnType<typeof newRow>): Write[] => [
  outboxWrite(row),
  ownWrite(row.chatRoomId, row.id, { content: row.content, order: row.order, sentAt: row.sentAt, envelope: row.envelope }),
]

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

const DRAFT = 'draft:'

export async function readDraft({ vault }: Live, chatRoomId: string): Promise<string> {
  const row = await vault.get('sealed', `${DRAFT}${chatRoomId}`)
  return row ? jsonOf(z.string(), row) : ''
}

export async function drafts({ vault }: Live): Promise<{ chatRoomId: string; text: string }[]> {
  const rows = await vault.named(DRAFT)
  return rows.map(({ key, value }) => ({ chatRoomId: key.slice(DRAFT.length), text: jsonOf(z.string(), value) }))
}

export const draftWrite = (chatRoomId: string, text: string): Write => ({
  store: 'sealed',
  key: `${DRAFT}${chatRoomId}`,
  value: text ? { json: text } : null,
})

/** Stores a draft in order. */
export const keepDraftText = (live: Live, { chatRoomId, text }: { chatRoomId: string; text: string }): Promise<void> =>
  inKeepingOrder(live, chatRoomId, () => live.vault.write([draftWrite(chatRoomId, text)]))

const quoteShape: z.ZodType<Quote> = z.object({ senderId: z.string(), id: z.string(), words: z.string() })

const replyKey = (chatRoomId: string) => `reply:${chatRoomId}`

export const replyWrite = (chatRoomId: string, quote: Quote | null): Write => ({
  store: 'sealed',
  key: replyKey(chatRoomId),
  value: quote && { json: quote },
})

export async function readReply({ vault }: Pick<Live, 'vault'>, chatRoomId: string): Promise<Quote | null> {
  const row = await vault.get('sealed', replyKey(chatRoomId))
  return row ? jsonOf(quoteShape, row) : null
}

/** The words of an edit that is not sent. */
export interface BegunEdit {
  target: Target
  /** One above the highest that was seen. */
  n: number
  text: string
  before: string
  isCaption: boolean
  /** False where the person went back to other words. */
  isOpen: boolean
}

const begunShape: z.ZodType<BegunEdit> = z.object({
  target: z.object({ senderId: z.string(), id: z.string() }),
  ...{ n: z.number(), text: z.string(), before: z.string(), isCaption: z.boolean(), isOpen: z.boolean() },
})

const editKey = (chatRoomId: string) => `edit:${chatRoomId}`

export const editWrite = (chatRoomId: string, edit: BegunEdit | null): Write => ({
  store: 'sealed',
  key: editKey(chatRoomId),
  value: edit && { json: edit },
})

export async function readEdit({ vault }: Pick<Live, 'vault'>, chatRoomId: string): Promise<BegunEdit | null> {
  const row = await vault.get('sealed', editKey(chatRoomId))
  return row ? jsonOf(begunShape, row) : null
}

export const keepEdit = (live: Live, { chatRoomId, edit }: { chatRoomId: string; edit: BegunEdit | null }): Promise<void> =>
  inKeepingOrder(live, chatRoomId, () => live.vault.write([editWrite(chatRoomId, edit)]))

/** Forgets what was begun at a message that is gone. */
export async function forgottenBegun(vault: Vault, { chatRoomId, senderId, id }: MessageName): Promise<Write[]> {
  const [edit, reply] = await Promise.all([readEdit({ vault }, chatRoomId), readReply({ vault }, chatRoomId)])
  return [
    ...(edit?.target.senderId === senderId && edit.target.id === id ? [editWrite(chatRoomId, null)] : []),
    ...(reply?.senderId === senderId && reply.id === id ? [replyWrite(chatRoomId, null)] : []),
  ]
}

export const keepReply = (live: Live, { chatRoomId, quote }: { chatRoomId: string; quote: Quote | null }): Promise<void> =>
  inKeepingOrder(live, chatRoomId, () => live.vault.write([replyWrite(chatRoomId, quote)]))
