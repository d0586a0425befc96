import type { FileContent } from '../../../contract/chat/content.ts'

/** The beginning of the names of rows of files that wait to be sent: `upload:<room id>:<id of the message>`. */
export const UPLOADS = 'upload:'
export const uploadsIn = (chatRoomId: string): string => `${UPLOADS}${chatRoomId}:`
export const uploadId = (key: string): string => key.split(':')[2] ?? ''

/** A file that is sealed, and whose message waits for the server to have it. */
export interface UploadRow {
  /** The id of the message that it becomes. */
  id: string
  chatRoomId: string
  /** ISO 8601, the device's clock. */
  sentAt: string
  /** The order of sending; it rises with each file of this device. */
  order: number
  content: Omit<FileContent, 'object'>
  /** The object that the server was asked for, and its upload where it goes in parts; null before. */
  begun: { object: string; uploadId: string | null } | null
  /** The id of the object that the server has stored; null before. */
  object: string | null
  isPaused: boolean
  /** Why it is not sent, if the person must decide; else null. */
  failure: string | null
  /** True if it failed because its bytes are not here any more: the person can choose it again. */
  isLost: boolean
  /** True once the person has given it up. The row stays until the server has dropped the object. */
  isCancelled: boolean
  /** False where this browser keeps no files: it is lost when the page closes. */
  isKept: boolean
}
