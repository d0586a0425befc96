import type { FileContent } from '../../../contract/chat/content.ts'

export interface UploadRow {
  id: string
  chatRoomId: string
  /** ISO 8601. */
  sentAt: string
  order: number
  /** Chosen without a line: what is written after it waits for it. */
  isQueued?: true
  /** It opens once [Note: M14]. */
  isOnce?: true
  content: Omit<FileContent, 'object'>
  begun: { object: string; uploadId: string | null } | null
  object: string | null
  isPaused: boolean
  failure: string | null
  /** The person can choose again. */
  isLost: boolean
  /** The row outlives the server's object. */
  isCancelled: boolean
  /** False: a closed page loses the file. */
  isKept: boolean
}
