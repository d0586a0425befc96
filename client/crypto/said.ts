import type { Live } from './live.ts'
import { roomRecord, type StoredMessage } from './room.ts'
import type { Write } from './vault.ts'

type Place = Pick<StoredMessage, 'chatRoomId' | 'senderId' | 'id' | 'seq'>

const rowOf = ({ chatRoomId, senderId, id }: Place) => `said:${chatRoomId}/${senderId}/${id}`

/** The changes that keep a message; of a proven one also where it stands. */
export function messageWrites(message: StoredMessage): Write[] {
  const row: Write = { store: 'messages', key: [message.chatRoomId, message.seq], value: { json: message } }
  return message.body.kind === 'content' ? [row, { store: 'sealed', key: rowOf(message), value: { json: message.seq } }] : [row]
}

/**
 * Messages that were just read, in the order of the log. A proven one that stands at another place already comes out as
 * unreadable: a server may play an envelope twice [Note: M4]. `before` came in the same step and is not stored yet.
 */
export async function onceEach(live: Live, messages: StoredMessage[], before: StoredMessage[] = []): Promise<StoredMessage[]> {
  const seen = new Set(before.filter(({ body }) => body.kind === 'content').map(rowOf))
  return await Promise.all(
    messages.map(async (message) => {
      if (message.body.kind !== 'content') return message
      const isRepeated = seen.has(rowOf(message))
      seen.add(rowOf(message))
      return isRepeated || (await standsElsewhere(live, message)) ? repeated(message) : message
    }),
  )
}

/** The vault's row at a place of the log; undefined at a commit, and where this device has not been. */
export async function messageAt({ vault }: Live, chatRoomId: string, seq: number): Promise<StoredMessage | undefined> {
  return (await vault.get('messages', [chatRoomId, seq]))?.json as StoredMessage | undefined
}

/** A page of what the vault holds of a room, oldest first, and whether older ones must come from the server. */
export async function pageOf(
  live: Live,
  input: { chatRoomId: string; before?: number; after?: number; limit: number },
): Promise<{ messages: StoredMessage[]; from: number }> {
  const record = await roomRecord(live, input.chatRoomId)
  if (!record) return { messages: [], from: 0 }
  const { from } = record
  const rows = await live.vault.page('messages', input.chatRoomId, {
    limit: input.limit,
    ...(input.before !== undefined && { before: input.before }),
    ...(input.after !== undefined && { after: Math.max(input.after, from - 1) }),
  })
  return { messages: rows.map(({ value }) => value.json as StoredMessage).filter(({ seq }) => seq >= from), from }
}

/** Whether the vault holds this message of this person at another place. */
export async function standsElsewhere({ vault }: Live, message: Place): Promise<boolean> {
  const row = await vault.get('sealed', rowOf(message))
  return row !== undefined && row.json !== message.seq
}

const repeated = (message: StoredMessage): StoredMessage => ({
  ...message,
  body: { kind: 'unreadable', reason: 'This message stands in the conversation already: the server repeats it' },
})
