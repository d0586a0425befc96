import type { Message } from '../../../contract/chat/messages.ts'
import type { WithheldEntry } from '../../../contract/chat/rooms.ts'
import { type Marks, statusOf } from './status.ts'
import type { MessageRow } from './store.ts'

type Sent = Pick<
  MessageRow,
  'id' | 'chatRoomId' | 'senderId' | 'content' | 'messageType' | 'filePath' | 'fileName' | 'fileSize' | 'replyToId'
>

/**
 * Converts a message to the contract's shape: what was sent, and what storing it has added. A row has both. Its status comes from the
 * marks of the members other than the sender.
 */
export function shownMessage(
  { id, chatRoomId, senderId, content, messageType, filePath, fileName, fileSize, replyToId }: Sent,
  { seq, isEncrypted, createdAt }: Pick<MessageRow, 'seq' | 'isEncrypted' | 'createdAt'>,
  members: ({ userId: string } & Marks)[],
): Message {
  const readers = members.filter(({ userId }) => userId !== senderId)
  // Written out and not spread: V8 makes such an object in one step, and there is one for each message.
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

/** What a member is given of a message that is withheld from them. */
export const withheldEntry = (
  { id, seq, chatRoomId, senderId, createdAt }: Pick<MessageRow, 'id' | 'seq' | 'chatRoomId' | 'senderId' | 'createdAt'>,
  contentHash: Buffer,
): WithheldEntry => ({
  ...{ kind: 'withheld', id, seq, chatRoomId, senderId },
  contentHash: contentHash.toString('base64'),
  createdAt: createdAt.toISOString(),
})
