import type { Message } from '../../contract/messages.ts'

/** A message on its way into a room's log. */
export interface Posting {
  id: string
  chatRoomId: string
  senderId: string
  content: string
  messageType: Message['messageType']
  filePath: string | null
  fileName: string | null
  fileSize: number | null
  replyToId: string | null
  /** The MLS group and epoch that it is sealed for; null where it is plain text. */
  sealedFor: { groupId: string; epoch: number } | null
}

/** What a posting meets. Raw SQL brings a bigint as text, hence the casts below: every seq is exact as a double. */
export interface Meeting {
  verdict:
    | 'stored'
    | 'known'
    | 'not_found'
    | 'subscription_required'
    | 'message_limit_reached'
    | 'stale_epoch'
    | 'account_deleted'
  seq: number | null
  /** Members, and among them those who shall hear of it: whoever declined the sender does not. */
  members: string[]
  listeners: string[]
  /** The sender's own row was an open request: answering accepted it. */
  hasAccepted: boolean
  generation: number | null
  groupId: string | null
  epoch: number | null
  lastSeq: number | null
  /** A device of a member was removed: nothing is sealed to this epoch any more [Note: D3]. */
  needsCommit: boolean | null
  /** What the sender's plan allows; -1: without a limit. null where the sender has no plan that is known. */
  messagesPerMonth: number | null
}
