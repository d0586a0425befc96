import { z } from 'zod'
import { type Content, readContent } from '../../../contract/chat/content.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { roomRecord, type Transcript, transcriptShape } from './storedRoom.ts'
import type { Vault, Write } from './vault.ts'
import { jsonOf, type VaultValue } from './vaultRows.ts'

/** A statement with fields that the build which opened it did not know: its whole text, and the device that signed it. */
export interface KeptStatement {
  statement: string
  deviceId: string
}

export type StoredBody =
  | { kind: 'content'; content: Content; kept?: KeptStatement }
  | { kind: 'plain'; text: string }
  /** A message that waits for its archive key: the envelope is stored unchanged. */
  | { kind: 'sealed'; envelope: string }
  /**
   * A message that only a newer build can open or show: of an unknown kind, in an envelope of an unknown version, or stored by a
   * newer build.
   */
  | { kind: 'newer'; kept: KeptStatement | { envelope: string } | { body: unknown } }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'notice'; text: string }
  /**
   * A message whose envelope the server withholds: only its hash is known. `isExplained` if the account blocked its sender once, or
   * cleared the room up to there.
   */
  | { kind: 'withheld'; isExplained?: true }

/** Remarks shown beside a message. */
export interface MessageFlags {
  /** Set if the browser that signed it was removed from its account since [Note: H3]. */
  isRemovedSince?: true
  /** The time that the author signed, ISO 8601, if it is far from the server's [Note: H3]. */
  sentAt?: string
  /** Set if MLS opened it, but its archive part does not open: other browsers of this account cannot read it [Note: H1]. */
  isArchiveWrong?: true
}

/** A message as the vault stores it. */
export interface StoredMessage extends MessageFlags {
  id: string
  chatRoomId: string
  seq: number
  /** The user that the signature proves; only the server's claim for messages without a verified signature. */
  senderId: string
  /** The server's time, ISO 8601. */
  at: string
  body: StoredBody
  /** The running hash of the log after it, if this device knows it [Note: M5]. */
  hash?: string
  /** What this device had seen of the log before it; only for a message that waits for its key. */
  transcript?: Transcript
  /** Set if the sender saw another log than this device: the server dropped or reordered earlier messages [Note: M5]. */
  isOutOfPlace?: true
  /** Set if it came with a page of older messages, not as the newest entry of the log. */
  isOlder?: true
}

const keptStatement = z.looseObject({ statement: z.string(), deviceId: z.string() })

/** The stored form of a body. A `newer` body is written as `unreadable` with a `kept` field: older builds show the reason. */
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

/** Reads a body; a kind that this build does not know becomes `newer`, and opens once a build knows it. */
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

/** True if a signature proves the sender of the message. */
export const isProven = ({ body }: StoredMessage): boolean =>
  body.kind === 'content' || (body.kind === 'newer' && 'statement' in body.kept)

/** The identity of a message: ids are unique per room and sender only. */
export type MessageName = Pick<StoredMessage, 'chatRoomId' | 'senderId' | 'id'>

/** The name of the row that has the seq of a verified message. */
export const messageName = ({ chatRoomId, senderId, id }: MessageName) => `said:${chatRoomId}/${senderId}/${id}`

/** The changes that store a message and, if it is verified, the row with its seq. */
export function messageWrites(message: StoredMessage): Write[] {
  const row: Write = { store: 'messages', key: [message.chatRoomId, message.seq], value: { json: written(message) } }
  return isProven(message) ? [row, { store: 'sealed', key: messageName(message), value: { json: message.seq } }] : [row]
}

/** The seq of a verified message of this person; undefined if the vault does not have it. */
export async function seqOfMessage(vault: Vault, name: MessageName): Promise<number | undefined> {
  const row = await vault.get('sealed', messageName(name))
  return row && jsonOf(z.number(), row)
}

/** The vault's message at a seq; undefined at a commit, and at entries that this device has not read. */
export async function messageAt(vault: Vault, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  const row = await vault.get('messages', [chatRoomId, seq])
  return row && readMessage(row)
}

/** At most `limit` messages of a room, oldest first: the first ones after a seq, else the last ones (before a seq, if given). */
export async function messagesOf(
  vault: Vault,
  chatRoomId: string,
  range: { before?: number; after?: number; limit: number },
): Promise<StoredMessage[]> {
  return (await vault.page('messages', chatRoomId, range)).map(({ value }) => readMessage(value))
}

/** Messages as `messagesOf` names them, folded. Fewer than `limit` only where there are no more, however many the fold has taken out. */
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

/** Some messages of a room, and the room's state just before they were read. */
export interface MessagePage {
  /** Oldest first. */
  messages: StoredMessage[]
  /** The vault has every message from this seq on; older ones must come from the server. */
  from: number
  /** The seq of the last log entry that this device has processed. */
  cursor: number
  /** True if this device follows the room by MLS. */
  isJoined: boolean
  /** Names the keys and builds that messages wait for; '' if none does. It changes when some of them open. */
  waitsFor: string
}

/** A page of the vault's messages of a room. */
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
    // Nothing is older than what the person has cleared.
    from: from <= cleared + 1 ? Math.min(from, 1) : from,
    cursor,
    isJoined: standing === 'joined',
    waitsFor: waitsFor.join(),
  }
}
