import type { WithheldEntry } from '../../../contract/chat/rooms.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { type Book, readBook } from '../lists/book.ts'
import { ownRow, settledWrites } from '../messages/outbox.ts'
import { withHash } from '../messages/transcript.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { Transcript } from '../vault/storedRoom.ts'
import type { CatchUp } from './catchUp.ts'

/** Takes a withheld message's hash into the log: another hash exposes the server [Note: M5]. */
export async function takeWithheld(at: CatchUp, entry: WithheldEntry): Promise<void> {
  const { live, record, chatRoomId } = at
  record.transcript = withHash(record.transcript, fromBase64(entry.contentHash))
  const own = entry.senderId === live.userId ? await ownRow(live, entry.id) : undefined
  if (own) {
    at.writes.push(...settledWrites(chatRoomId, entry.id, own))
    at.hasSettled = true
  }
  if (entry.seq > (record.cleared ?? 0)) at.messages.push(withheldMessage(entry, record.transcript))
}

/** Returns the vault's row of a withheld message. */
export const withheldMessage = (
  { id, chatRoomId, seq, senderId, createdAt }: WithheldEntry,
  transcript: Transcript | undefined,
): StoredMessage => ({
  ...{ id, chatRoomId, seq, senderId, at: createdAt },
  body: { kind: 'withheld' },
  ...(transcript && { hash: transcript.hash }),
})

/** Marks messages that the account's blocks or clearing explain. */
export async function explained(live: Live, messages: StoredMessage[]): Promise<StoredMessage[]> {
  if (!messages.some(({ body }) => body.kind === 'withheld')) return messages
  const { blocks, clears } = (await readBook(live)).book
  return messages.map((message) => {
    const { body, senderId, chatRoomId, seq } = message
    const isOwn = blocks?.[senderId] !== undefined || seq <= (clears?.[chatRoomId] ?? 0)
    return body.kind === 'withheld' && isOwn ? { ...message, body: { ...body, isExplained: true as const } } : message
  })
}

/** Returns the lower cleared seq of book and server: neither alone takes messages away. */
export const clearedIn = (book: Book, chatRoomId: string, clearedSeq: number): number =>
  Math.min(book.clears?.[chatRoomId] ?? 0, clearedSeq)
