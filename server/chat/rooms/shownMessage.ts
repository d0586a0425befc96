import type { Message } from '../../../contract/chat/messages.ts'
import type { WithheldEntry } from '../../../contract/chat/rooms.ts'
import { type Marks, statusOf } from './status.ts'
import type { MessageRow } from './store.ts'

type Sent = Pick<
  MessageRow,
  'id' | 'chatRoomId' | 'senderId' | 'content' | 'messageType' | 'filePath' | 'fileName' | 'fileSize' | 'replyToId'
>

/** The status comes from the other members' marks. */
export function shownMessage(
  { id, chatRoomId, senderId, content, messageType, filePath, fileName, fileSize, replyToId }: Sent,
  { seq, isEncrypted, createdAt }: Pick<MessageRow, 'seq' | 'isEncrypted' | 'createdAt'>,
  members: ({ userId: string } & Marks)[],
): Message {
  const readers = members.filter(({ userId }) => userId !== senderId)
  // V8 makes a literal in one step, unlike a spread.
  return {
    id,
    seq,
    chatRoomId,
    senderId,
    content,
    messageType,
    filePath,
    fileName,
    fileSize,
    isEncrypted,
    deliveryStatus: statusOf(seq, readers),
    replyToId,
    createdAt: createdAt.toISOString(),
  }
}

export const withheldEntry = (
  { id, seq, chatRoomId, senderId, createdAt }: Pick<MessageRow, 'id' | 'seq' | 'chatRoomId' | 'senderId' | 'createdAt'>,
  contentHash: Buffer,
): WithheldEntry => ({
  ...{ kind: 'withheld', id, seq, chatRoomId, senderId },
  contentHash: contentHash.toString('base64'),
  createdAt: createdAt.toISOString(),
})
