import type { Message } from '../../contract/messages.ts'

/** A message on its way into a room's log. */
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
  /** The MLS group and epoch that it is sealed for; null where it is plain text. */
  sealedFor: { groupId: string; epoch: number } | null
}

/** What became of a message. */
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
  /** Everyone in the room. */
  members: string[]
  /** The members who are told of a stored message: all but those who declined the sender's request. */
  listeners: string[]
  /** Members of a direct room whose request from the sender has lapsed: this message asks them again. */
  lapsed: string[]
  /** The room was an open request to the sender: answering accepted it. */
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
