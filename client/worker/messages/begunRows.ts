import { z } from 'zod'
import type { Quote, Target } from '../../../contract/chat/content.ts'
import type { Live } from '../keys/live.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { MessageName } from '../vault/storedMessage.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

// What a person has begun in a chat: a draft, what it replies to, an edit.

/** Keeps the order of calls, across tabs. */
export const inKeepingOrder = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/keep`, work)

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
