import type { FrameOf } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/limits.ts'
import { type ContactRow, changeRow, contactsStore } from './rows.ts'

/** A message arrived: the row moves up and counts, before a reload of the list would say so. */
export function noteMessage(message: FrameOf<'message'>['data'], userId: string, isSeen: boolean): void {
  const isMine = message.senderId === userId
  changeRow(
    (row) => row.chatRoomId === message.chatRoomId,
    (row) => {
      if (message.seq <= row.lastSeq && row.lastMessage && row.lastMessage.seq >= message.seq) return {}
      const unreadCount = isMine || isSeen ? row.unreadCount : row.unreadCount + 1
      return {
        lastMessage: message,
        lastSeq: Math.max(row.lastSeq, message.seq),
        unreadCount,
        hasUnreadNotifications: unreadCount > 0,
        isTyping: false,
      }
    },
  )
  contactsStore.setState(({ rows }) => ({ unreadTotal: sumUnread(rows) }))
}

const sumUnread = (rows: ContactRow[]) => rows.reduce((sum, row) => sum + (row.state === 'accepted' ? row.unreadCount : 0), 0)

/** Someone's marks moved: ours (on another device or tab) or theirs. */
export function noteReceipt({ chatRoomId, userId, deliveredSeq, readSeq }: FrameOf<'receipt'>['data'], ownId: string): void {
  changeRow(
    (row) => row.chatRoomId === chatRoomId,
    (row) => {
      if (userId !== ownId) {
        return {
          theirDeliveredSeq: Math.max(row.theirDeliveredSeq, deliveredSeq),
          theirReadSeq: Math.max(row.theirReadSeq, readSeq),
        }
      }
      const unreadCount = readSeq >= row.lastSeq ? 0 : row.unreadCount
      return { readSeq: Math.max(row.readSeq, readSeq), unreadCount, hasUnreadNotifications: unreadCount > 0 }
    },
  )
  contactsStore.setState(({ rows }) => ({ unreadTotal: sumUnread(rows) }))
}

export function notePresence({ userId, isOnline, lastSeen }: FrameOf<'presence'>['data']): void {
  changeRow(
    (row) => row.contactUserId === userId,
    (row) => ({ contactUser: { ...row.contactUser, isOnline, lastSeen: lastSeen ?? row.contactUser.lastSeen } }),
  )
}

const typingEnds = new Map<string, ReturnType<typeof setTimeout>>()

/** "typing…" for a few seconds; a lost "stopped" does not leave it standing. */
export function noteTyping({ chatRoomId, isTyping }: FrameOf<'typing'>['data']): void {
  const show = (shown: boolean) =>
    changeRow(
      (row) => row.chatRoomId === chatRoomId && row.isTyping !== shown,
      () => ({ isTyping: shown }),
    )
  clearTimeout(typingEnds.get(chatRoomId))
  show(isTyping)
  if (isTyping)
    typingEnds.set(
      chatRoomId,
      setTimeout(() => show(false), PERIODS.typingShownMs),
    )
}
