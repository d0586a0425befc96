import type { Message } from '../../contract/messages.ts'

/** A message to be appended to a room's log. */
export interface NewMessage {
  id: string
  chatRoomId: string
  senderId: string
  content: string
  messageType: Message['messageType']
  filePath: string | null
  fileName: string | null
  fileSize: number | null
  replyToId: string | null
  /** The MLS group and epoch of its envelope; null for plain text. */
  sealedFor: { groupId: string; epoch: number } | null
}

/** The result of an append. */
export interface AppendResult {
  verdict:
    | 'stored'
    | 'known'
    | 'not_found'
    | 'subscription_required'
    | 'message_limit_reached'
    | 'stale_epoch'
    | 'account_deleted'
  seq: number | null
  /** All members of the room. */
  members: string[]
  /** The members who are notified of a stored message: all but those who declined the sender's request. */
  listeners: string[]
  /** Members of a direct room whose request from the sender has lapsed. This message renews the request. */
  lapsed: string[]
  /** True if the room was an open request to the sender, which this message accepts. */
  hasAccepted: boolean
  generation: number | null
  groupId: string | null
  epoch: number | null
  lastSeq: number | null
  /** True if a member's device was removed, so that no more is sealed to this epoch [Note: D3]. */
  needsCommit: boolean | null
  /** The monthly limit of the sender's plan; -1 means no limit. Null if the sender has no known plan. */
  messagesPerMonth: number | null
}
