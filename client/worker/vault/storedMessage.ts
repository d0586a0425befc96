import { z } from 'zod'
import { type Act, type Content, readAct, readContent, readSaid } from '../../../contract/chat/content.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import type { Acts } from '../../../contract/chat/kinds/fold.ts'
import { isAct } from '../../../contract/chat/kinds/kinds.ts'
import { type Transcript, transcriptShape } from './storedRoom.ts'
import type { Vault, Write } from './vault.ts'
import { jsonOf, type VaultValue } from './vaultRows.ts'

/** Kept for fields unknown to this build. */
export interface KeptStatement {
  statement: string
  deviceId: string
}

export type StoredBody =
  | { kind: 'content'; content: Content; kept?: KeptStatement }
  /** null: its words went with the message that it changes. */
  | { kind: 'act'; act: Act | null; kept?: KeptStatement }
  | { kind: 'deleted' }
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
  /** [Note: M9] */
  lifetime?: number
  /** Signed it. */
  deviceId?: string
  /** `onion` or `direct`. */
  route?: string
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
  acts?: Acts
  /** In ms. */
  endsMs?: number
}

const keptStatement = z.looseObject({ statement: z.string(), deviceId: z.string() })

/** Older builds can show an `unreadable` body. */
const bodyShape = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('content'), content: z.unknown(), kept: keptStatement.exactOptional() }),
  z.looseObject({ kind: z.literal('act'), act: z.unknown(), kept: keptStatement.exactOptional() }),
  z.object({ kind: z.literal('deleted') }),
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

const firstShape = z.record(z.string(), z.looseObject({ seq: z.number(), at: z.string() }))

const actsShape: z.ZodType<Acts> = z.looseObject({
  edit: z.looseObject({ n: z.number(), seq: z.number(), text: z.string() }).exactOptional(),
  edits: z.array(z.number()).exactOptional(),
  reactions: z.record(z.string(), z.looseObject({ seq: z.number(), emojis: z.array(z.string()) })).exactOptional(),
  opened: firstShape.exactOptional(),
  listened: firstShape.exactOptional(),
})

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
  lifetime: z.number().exactOptional(),
  deviceId: z.string().exactOptional(),
  route: z.string().exactOptional(),
  acts: actsShape.exactOptional(),
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
  if (body.kind === 'act') {
    const act = body.act === null ? null : readAct(body.act)
    return act === undefined ? { kind: 'newer', kept: { body: json } } : { ...body, act }
  }
  if (body.kind !== 'unreadable' || !body.kept) return body
  if (!('statement' in body.kept)) return { kind: 'newer', kept: body.kept }
  const kept = jsonOf(keptStatement, { json: body.kept })
  const known = contentIn(kept.statement)
  const said = readSaid(known)
  return said ? bodyOf(said, kept) : { kind: 'newer', kept }
}

export function bodyOf(said: Content | Act, kept?: KeptStatement): StoredBody {
  const more = kept && { kept }
  return isAct(said) ? { kind: 'act', act: said, ...more } : { kind: 'content', content: said, ...more }
}

const contentIn = (statement: string): unknown => z.object({ content: z.unknown() }).parse(JSON.parse(statement)).content

function written({ body, ...message }: StoredMessage): unknown {
  if (body.kind !== 'newer') return { ...message, body }
  if ('body' in body.kept) return { ...message, body: body.kept.body }
  return { ...message, body: { kind: 'unreadable', reason: NEEDS_NEWER, kept: body.kept } }
}

/** Returns true if a signature proves the sender. */
export const isProven = ({ body }: StoredMessage): boolean =>
  ['content', 'deleted'].includes(body.kind) ||
  (body.kind === 'act' && body.act !== null) ||
  (body.kind === 'newer' && 'statement' in body.kept)

/** Ids are unique per room and sender. */
export type MessageName = Pick<StoredMessage, 'chatRoomId' | 'senderId' | 'id'>

/** Names the row of a message's seq. */
export const messageName = ({ chatRoomId, senderId, id }: MessageName) => `said:${chatRoomId}/${senderId}/${id}`

/** Acts lie below zero, so that a page of messages is as long with them. */
const placeOf = ({ chatRoomId, seq, body }: StoredMessage): [string, number] => [chatRoomId, body.kind === 'act' ? -seq : seq]

/** Returns the writes of a message and its seq. */
export function messageWrites(message: StoredMessage): Write[] {
  const { chatRoomId, seq, body } = message
  const rows: Write[] = [{ store: 'messages', key: placeOf(message), value: { json: written(message) } }]
  if (body.kind === 'act') rows.push({ store: 'messages', key: [chatRoomId, seq], value: null })
  return isProven(message) ? [...rows, nameWrite(message)] : rows
}

/** Only for a proven message. */
export const nameWrite = (message: MessageName & { seq: number }): Write => ({
  store: 'sealed',
  key: messageName(message),
  value: { json: message.seq },
})

/** Returns a proven message's seq. */
export async function seqOfMessage(vault: Vault, name: MessageName): Promise<number | undefined> {
  const row = await vault.get('sealed', messageName(name))
  return row && jsonOf(z.number(), row)
}

/** Returns undefined for commits and unread entries. */
export async function entryAt(vault: Vault, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  return (await messageAt(vault, chatRoomId, seq)) ?? (await messageAt(vault, chatRoomId, -seq))
}

/** `seq`: below zero for an act. */
export async function messageAt(vault: Vault, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  const row = await vault.get('messages', [chatRoomId, seq])
  return row && readMessage(row)
}

/** Returns messages oldest first; without `after`, the last `limit`. No acts. */
export async function messagesOf(
  vault: Vault,
  chatRoomId: string,
  range: { before?: number; after?: number; limit: number },
): Promise<StoredMessage[]> {
  return (await vault.page('messages', chatRoomId, range)).map(({ value }) => readMessage(value))
}
