import { createStore } from 'zustand/vanilla'
import type { FileContent, OnceContent } from '../../../contract/chat/content.ts'
import type { UploadRow } from '../../worker/crypto.ts'
import type { Begun } from './putFile.ts'

interface UploadLine {
  id: string
  seq: null
  at: string
  isMine: true
  status: 'sending'
  reason: null
  body:
    | { kind: 'file'; file: FileContent; text: string; chatRoomId: string }
    | { kind: 'once'; once: OnceContent; text: string; chatRoomId: string }
  isOutOfPlace: false
}

/** A file sent during the sealing. */
export interface Early {
  /** undefined if the server did not answer. */
  begun: Promise<Begun | undefined>
  /** The object's id. Rejects as `putFile` does. */
  whole: Promise<string>
  /** From 0 to 1. */
  onProgress: (part: number) => void
  stop: () => void
  /** The server drops its bytes too. */
  giveUp: () => Promise<void>
}

export interface Upload extends UploadRow {
  /** `waiting`: continues automatically, for the `reason`. */
  state: 'queued' | 'uploading' | 'waiting' | 'stored'
  reason: string | null
  /** From 0 to 1. */
  part: number
  /** undefined once its end is known. */
  early: Early | undefined
  line: UploadLine
}

export const uploadsStore = createStore<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }))

export const uploadsIn = (chatRoomId: string): Upload[] =>
  uploadsStore.getState().uploads.filter((upload) => upload.chatRoomId === chatRoomId)

/** A tab gets no message of its own. */
const CHANNEL = 'conclave/uploads'
let tabs: BroadcastChannel | undefined

export function followTabs(onChange: () => void): void {
  tabs ??= new BroadcastChannel(CHANNEL)
  tabs.onmessage = onChange
}

export const tellTabs = (): void => tabs?.postMessage(null)
