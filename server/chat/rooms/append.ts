import type { Message } from '../../../contract/chat/messages.ts'

export interface NewMessage {
  id: string
  chatRoomId: string
  senderId: string
  content: string
  messageType: Message['messageType']
  /** null without a file. */
  fileId: string | null
  filePath: string | null
  fileName: string | null
  fileSize: number | null
  replyToId: string | null
  /** null for plain text. */
  sealedFor: { groupId: string; epoch: number } | null
  /** True for what counts neither as unread nor as sent, and is no preview. */
  isSilent: boolean
  /** True for what counts in the sender's month. */
  isCounted: boolean
  /** Places of the sender's own messages that the server empties in the same statement. */
  takesBack: number[] | null
  /** Seconds. */
  lifetime: number | null
  isOnce: boolean
  /** The place of what it opens. */
  opens: number | null
  /** SHA-256 of the session's token. */
  session: Buffer
}

export interface AppendResult {
  verdict:
    | 'stored'
    | 'known'
    | 'not_signed_in'
    | 'device_required'
    | 'not_found'
    | 'chat_locked'
    | 'subscription_required'
    | 'file_not_found'
    | 'message_limit_reached'
    | 'stale_epoch'
    | 'account_deleted'
    | 'not_a_contact'
    | 'too_many_requests'
    | 'already_opened'
  seq: number | null
  createdAt: Date
  /** Empty except for `stale_epoch` and an accepted or renewed request. */
  members: string[]
  /** Members except those who declined or blocked the sender. */
  listeners: string[]
  /** Sessions (hex) that have opened the chat, by listener with a chat password. */
  open: Record<string, string[]> | null
  /** Members whose lapsed request this message renews. */
  lapsed: string[]
  /** True if the message accepts an open request. */
  hasAccepted: boolean
  /** State for `stale_epoch`. */
  generation: number | null
  groupId: string | null
  epoch: number | null
  lastSeq: number | null
  /** [Note: D3] */
  needsCommit: boolean | null
  /** Limit for `message_limit_reached`. */
  messagesPerMonth: number | null
}
