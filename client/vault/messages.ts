import type { Content } from '../../contract/content.ts'
import { roomRecord, type Transcript } from './rooms.ts'
import type { Vault, Write } from './vault.ts'

export type StoredBody =
  | { kind: 'content'; content: Content }
  | { kind: 'plain'; text: string }
  /** Waits for its archive key: the envelope is kept as it came. */
  | { kind: 'sealed'; envelope: string }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'notice'; text: string }

/** A message as the vault keeps it. */
export interface StoredMessage {
  id: string
  chatRoomId: string
  seq: number
  /** The user whom the signature proves; the server's word only for plain and unreadable messages. */
  senderId: string
  /** The server's time, ISO 8601. */
  at: string
  body: StoredBody
  /** The running hash behind it, where this device knows it [Note: M5]. */
  hash?: string
  /** Of one that waits for its key: what this device had seen before it. */
  transcript?: Transcript
  /** The sender saw another log than this device: the server dropped or reordered messages before it [Note: M5]. */
  isOutOfPlace?: true
}

/** What names a message: ids are unique per room and sender only. */
export type MessageName = Pick<StoredMessage, 'chatRoomId' | 'senderId' | 'id'>

/** The name of the row that says where a proven message stands. */
export const messageName = ({ chatRoomId, senderId, id }: MessageName) => `said:${chatRoomId}/${senderId}/${id}`

/** The changes that keep a message; of a proven one also where it stands. */
export function messageWrites(message: StoredMessage): Write[] {
  const row: Write = { store: 'messages', key: [message.chatRoomId, message.seq], value: { json: message } }
  return message.body.kind === 'content'
    ? [row, { store: 'sealed', key: messageName(message), value: { json: message.seq } }]
    : [row]
}

/** The place in the log of a proven message of this person; undefined where the vault does not hold it. */
export async function seqOfMessage(vault: Vault, name: MessageName): Promise<number | undefined> {
  return (await vault.get('sealed', messageName(name)))?.json as number | undefined
}

/** The vault's row at a place of the log; undefined at a commit, and where this device has not been. */
export async function messageAt(vault: Vault, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  return (await vault.get('messages', [chatRoomId, seq]))?.json as StoredMessage | undefined
}

/** At most `limit` messages of a room, oldest first: the first ones after a seq, else the last ones (before a seq). */
export async function messagesOf(
  vault: Vault,
  chatRoomId: string,
  range: { before?: number; after?: number; limit: number },
): Promise<StoredMessage[]> {
  return (await vault.page('messages', chatRoomId, range)).map(({ value }) => value.json as StoredMessage)
}

/** A page of what the vault holds of a room, oldest first, and whether older ones must come from the server. */
export async function pageOf(
  vault: Vault,
  input: { chatRoomId: string; before?: number; after?: number; limit: number },
): Promise<{ messages: StoredMessage[]; from: number }> {
  const { chatRoomId, before, after, limit } = input
  const record = await roomRecord(vault, chatRoomId)
  if (!record) return { messages: [], from: 0 }
  const { from } = record
  const messages = await messagesOf(vault, chatRoomId, {
    limit,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: Math.max(after, from - 1) }),
  })
  return { messages: messages.filter(({ seq }) => seq >= from), from }
}
