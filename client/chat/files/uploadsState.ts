import { createStore } from 'zustand/vanilla'
import type { FileContent } from '../../../contract/chat/content.ts'
import type { UploadRow } from '../../worker/crypto.ts'
import type { Begun } from './putFile.ts'

/** How the timeline shows a file whose bytes the server does not have yet. */
interface UploadLine {
  id: string
  seq: null
  at: string
  isMine: true
  status: 'sending'
  reason: null
  body: { kind: 'file'; file: FileContent; text: string; chatRoomId: string }
  isOutOfPlace: false
}

/** A file that goes out while it is still being sealed and kept. */
export interface Early {
  /** What the server was asked for; undefined if it did not answer. */
  begun: Promise<Begun | undefined>
  /** The id of the object, once the server has all of it. Rejects as `putFile` does. */
  whole: Promise<string>
  /** Receives the part that the server has, from 0 to 1. */
  onProgress: (part: number) => void
  stop: () => void
  /** Stops it, and has the server drop what it has of it. */
  giveUp: () => Promise<void>
}

/** A file that waits to be sent, and how far it is. */
export interface Upload extends UploadRow {
  /** `waiting`: goes on by itself, for the `reason`. */
  state: 'queued' | 'uploading' | 'waiting' | 'stored'
  reason: string | null
  /** The part that the server has, from 0 to 1. */
  part: number
  /** Its way out, which began while it was being sealed, until it is known how that ended. */
  early: Early | undefined
  /** Its line in the timeline. */
  line: UploadLine
}

/** The files of this browser that wait, in their order. */
export const uploadsStore = createStore<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }))

export const uploadsIn = (chatRoomId: string): Upload[] =>
  uploadsStore.getState().uploads.filter((upload) => upload.chatRoomId === chatRoomId)

/** The channel of this browser's tabs about files that wait. A tab gets no message of its own. */
const CHANNEL = 'conclave/uploads'
let tabs: BroadcastChannel | undefined

/** Calls `onChange` whenever another tab has changed a file that waits. */
export function followTabs(onChange: () => void): void {
  tabs ??= new BroadcastChannel(CHANNEL)
  tabs.onmessage = onChange
}

/** Tells the other tabs that a file that waits has come, changed, or gone. */
export const tellTabs = (): void => tabs?.postMessage(null)
