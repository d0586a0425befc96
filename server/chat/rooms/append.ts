import type { Message } from '../../../contract/chat/messages.ts'

/** A message to be appended to a room's log. */
export interface NewMessage {
  id: string
  chatRoomId: string
  senderId: string
  content: string
  messageType: Message['messageType']
  /** The id of the uploaded object that it carries, with the three fields that name it; null without a file. */
  fileId: string | null
  filePath: string | null
  fileName: string | null
  fileSize: number | null
  replyToId: string | null
  /** The MLS group and epoch of its envelope; null for plain text. */
  sealedFor: { groupId: string; epoch: number } | null
  /** True for what counts nowhere: not as unread, not in the sender's monthly limit, and it is no preview. */
  isSilent: boolean
  /** SHA-256 of the token of the session that sends it. The append checks that it is live and may send. */
  session: Buffer
}

/** The result of an append. */
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
  seq: number | null
  /** When it was judged, and stored if it was. */
  createdAt: Date
  /** All members of the room, for `stale_epoch` and for a message that has accepted or renewed a request; otherwise empty. */
  members: string[]
  /** The members who are notified of a stored message: all but those who declined the sender's request or blocked the sender. */
  listeners: string[]
  /** Of each listener with a chat password for the room, the sessions (hex) that have opened it; null where nobody has one. */
  open: Record<string, string[]> | null
  /** Members of a direct room whose request from the sender has lapsed. This message renews the request. */
  lapsed: string[]
  /** True if the room was an open request to the sender, which this message accepts. */
  hasAccepted: boolean
  /** The room's state, for `stale_epoch`. */
  generation: number | null
  groupId: string | null
  epoch: number | null
  lastSeq: number | null
  /** True if a member's device was removed, so that no more is sealed to this epoch [Note: D3]. */
  needsCommit: boolean | null
  /** The monthly limit of the sender's plan, for `message_limit_reached`. */
  messagesPerMonth: number | null
}
