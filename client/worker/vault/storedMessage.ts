import { z } from 'zod'
import { type Content, readContent } from '../../../contract/chat/content.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { roomRecord, type Transcript, transcriptShape } from './storedRoom.ts'
import type { Vault, Write } from './vault.ts'
import { jsonOf, type VaultValue } from './vaultRows.ts'

/** Kept for fields unknown to this build. */
export interface KeptStatement {
  statement: string
  deviceId: string
}

export type StoredBody =
  | { kind: 'content'; content: Content; kept?: KeptStatement }
  | { kind: 'plain'; text: string }
  | { kind: 'sealed'; envelope: string }
  | { kind: 'newer'; kept: KeptStatement | { envelope: string } | { body: unknown } }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'notice'; text: string }
  /** `isExplained`: by the account's block or clearing. */
  | { kind: 'withheld'; isExplained?: true }

export interface MessageFlags {
  /** [Note: H3] */
  isRemovedSince?: true
  /** ISO 8601, if far from the server's time [Note: H3]. */
  sentAt?: string
  /** Set if only MLS opened the message [Note: H1]. */
  isArchiveWrong?: true
}

export interface StoredMessage extends MessageFlags {
  id: string
  chatRoomId: string
  seq: number
  /** The server's claim without a signature. */
  senderId: string
  /** The server's time, ISO 8601. */
  at: string
  body: StoredBody
  /** The running hash of the log [Note: M5]. */
  hash?: string
  transcript?: Transcript
  /** Set if the sender saw another log [Note: M5]. */
  isOutOfPlace?: true
  isOlder?: true
}

const keptStatement = z.looseObject({ statement: z.string(), deviceId: z.string() })

/** Older builds can show an `unreadable` body. */
const bodyShape = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('content'), content: z.unknown(), kept: keptStatement.exactOptional() }),
  z.looseObject({ kind: z.literal('plain'), text: z.string() }),
  z.looseObject({ kind: z.literal('sealed'), envelope: z.string() }),
  z.looseObject({
    kind: z.literal('unreadable'),
    reason: z.string(),
    kept: z.union([keptStatement, z.looseObject({ envelope: z.string() }), z.looseObject({ body: z.unknown() })]).exactOptional(),
  }),
  z.looseObject({ kind: z.literal('notice'), text: z.string() }),
  z.object({ kind: z.literal('withheld') }),
])
const BODY_KINDS = new Set(bodyShape.options.map(({ shape }) => shape.kind.value as string))
const anyBody = z.looseObject({ kind: z.string() })

const rowShape = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  seq: z.number(),
  senderId: z.string(),
  at: z.string(),
  body: anyBody,
  hash: z.string().exactOptional(),
  transcript: transcriptShape.exactOptional(),
  isOutOfPlace: z.literal(true).exactOptional(),
  isOlder: z.literal(true).exactOptional(),
  isRemovedSince: z.literal(true).exactOptional(),
  sentAt: z.string().exactOptional(),
  isArchiveWrong: z.literal(true).exactOptional(),
})

function readMessage(row: VaultValue): StoredMessage {
  const message = jsonOf(rowShape, row)
  return { ...message, body: readBody(message.body) }
}

function readBody(json: z.infer<typeof anyBody>): StoredBody {
  if (!BODY_KINDS.has(json.kind)) return { kind: 'newer', kept: { body: json } }
  const body = jsonOf(bodyShape, { json })
  if (body.kind === 'content') {
    const content = readContent(body.content)
    return content ? { ...body, content } : { kind: 'newer', kept: { body: json } }
  }
  if (body.kind !== 'unreadable' || !body.kept) return body
  if (!('statement' in body.kept)) return { kind: 'newer', kept: body.kept }
  const kept = jsonOf(keptStatement, { json: body.kept })
  const content = readContent(contentIn(kept.statement))
  return content ? { kind: 'content', content, kept } : { kind: 'newer', kept }
}

const contentIn = (statement: string): unknown => z.object({ content: z.unknown() }).parse(JSON.parse(statement)).content

function written({ body, ...message }: StoredMessage): unknown {
  if (body.kind !== 'newer') return { ...message, body }
  if ('body' in body.kept) return { ...message, body: body.kept.body }
  return { ...message, body: { kind: 'unreadable', reason: NEEDS_NEWER, kept: body.kept } }
}

/** Returns true if a signature proves the sender. */
export const isProven = ({ body }: StoredMessage): boolean =>
  body.kind === 'content' || (body.kind === 'newer' && 'statement' in body.kept)

/** Ids are unique per room and sender. */
export type MessageName = Pick<StoredMessage, 'chatRoomId' | 'senderId' | 'id'>

/** Names the row of a message's seq. */
export const messageName = ({ chatRoomId, senderId, id }: MessageName) => `said:${chatRoomId}/${senderId}/${id}`

/** Returns the writes of a message and its seq. */
export function messageWrites(message: StoredMessage): Write[] {
  const row: Write = { store: 'messages', key: [message.chatRoomId, message.seq], value: { json: written(message) } }
  return isProven(message) ? [row, { store: 'sealed', key: messageName(message), value: { json: message.seq } }] : [row]
}

/** Returns a proven message's seq. */
export async function seqOfMessage(vault: Vault, name: MessageName): Promise<number | undefined> {
  const row = await vault.get('sealed', messageName(name))
  return row && jsonOf(z.number(), row)
}

/** Returns undefined for commits and unread entries. */
export async function messageAt(vault: Vault, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  const row = await vault.get('messages', [chatRoomId, seq])
  return row && readMessage(row)
}

/** Returns messages oldest first; without `after`, the last `limit`. */
export async function messagesOf(
  vault: Vault,
  chatRoomId: string,
  range: { before?: number; after?: number; limit: number },
): Promise<StoredMessage[]> {
  return (await vault.page('messages', chatRoomId, range)).map(({ value }) => readMessage(value))
}

/** Returns fewer than `limit` only at the room's end. */
async function foldedMessages(
  vault: Vault,
  chatRoomId: string,
  asked: { before?: number; after?: number; limit: number },
): Promise<StoredMessage[]> {
  const { limit } = asked
  const isUpward = asked.after !== undefined
  let entries: StoredMessage[] = []
  for (let range = asked; ; ) {
    const more = await messagesOf(vault, chatRoomId, range)
    entries = isUpward ? [...entries, ...more] : [...more, ...entries]
    const messages = foldEntries(entries)
    const end = isUpward ? more.at(-1) : more[0]
    if (!end || more.length < limit || messages.length >= limit)
      return isUpward ? messages.slice(0, limit) : messages.slice(-limit)
    range = { ...asked, [isUpward ? 'after' : 'before']: end.seq }
  }
}

export interface MessagePage {
  messages: StoredMessage[]
  /** The server has older messages. */
  from: number
  cursor: number
  isJoined: boolean
  /** Changes when messages open. */
  waitsFor: string
}

/** Returns a page of messages. */
export async function pageOf(
  vault: Vault,
  input: { chatRoomId: string; before?: number; after?: number; limit: number },
): Promise<MessagePage> {
  const { chatRoomId, before, after, limit } = input
  const record = await roomRecord(vault, chatRoomId)
  if (!record) return { messages: [], from: 0, cursor: 0, isJoined: false, waitsFor: '' }
  const { from, cursor, standing, waiting, newer = [], cleared = 0 } = record
  const messages = await foldedMessages(vault, chatRoomId, {
    limit,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: Math.max(after, from - 1) }),
  })
  const waitsFor = [...waiting.map(({ groupId, epoch }) => `${groupId} ${epoch}`), ...newer.map(({ version }) => `v${version}`)]
  return {
    messages: messages.filter(({ seq }) => seq >= from),
    // A cleared room has nothing older.
    from: from <= cleared + 1 ? Math.min(from, 1) : from,
    cursor,
    isJoined: standing === 'joined',
    waitsFor: waitsFor.join(),
  }
}
