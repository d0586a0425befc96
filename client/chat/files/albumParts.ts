import type { Held } from './openedFiles.ts'
import type { Upload } from './uploadsState.ts'

/** A picture of an album. */
export interface Part {
  id: string
  seq: number | null
  status: string | null
  reason: string | null
  /** Waits in the outbox for the line. */
  isQueued?: boolean
  held: Held
  upload: Upload | undefined
}

type State = Pick<Part, 'status' | 'reason' | 'isQueued' | 'upload'>

export const hasFailed = ({ upload, status }: State): boolean => (upload ? upload.failure !== null : status === 'failed')

export const isWaiting = ({ upload, status, isQueued = false }: State): boolean =>
  upload ? upload.failure === null && (upload.isPaused || upload.state === 'waiting') : isQueued || status === 'waiting'

/** It says so where it stands. */
export const inPlace = (part: State): boolean => hasFailed(part) || isWaiting(part)

/** Each reason once. */
export function reasonsOf(parts: State[]): { words: string; isBad: boolean }[] {
  const told = new Map<string, boolean>()
  for (const part of parts.filter(inPlace)) {
    const { upload } = part
    const isBad = hasFailed(part)
    const isQueued = !upload && part.isQueued
    // The last that waits in the chat says why.
    if (isQueued && part.reason === null) continue
    const reason = (upload ? (upload.failure ?? upload.reason) : part.reason) ?? ''
    const what = isBad ? 'Not sent.' : upload?.isPaused ? 'Paused.' : isQueued ? '' : 'Waiting.'
    told.set(`${what} ${reason && !/[.!?]$/.test(reason) ? `${reason}.` : reason}`.trim(), isBad)
  }
  return [...told].map(([words, isBad]) => ({ words, isBad }))
}
