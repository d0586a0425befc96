import type { Readable } from 'node:stream'
import type { Range } from '../../ground/http/bytes.ts'

/** Names are object ids, without a slash. */
export interface Bucket {
  /** Resolves when stored for good. Stores nothing of another length, and rejects. */
  put(name: string, bytes: Readable, sizeBytes: number): Promise<void>
  /** undefined: nothing is stored. */
  get(name: string, range?: Range): Promise<Readable | undefined>
  remove(name: string): Promise<void>
  /** `prefix`: two characters or more. */
  list(prefix: string): Promise<string[]>
  /** Absent: all bytes go through this server. */
  direct?: DirectBucket
}

/** Browsers write under waiting names, so no address writes to a name that is read. */
export interface DirectBucket {
  /** A PUT of that size, for `LIMITS.uploadSeconds`. */
  putAddress(name: string, sizeBytes: number): Promise<string>
  /** A GET, for `LIMITS.downloadSeconds`. */
  getAddress(name: string): Promise<string>
  /** False: nothing waits. */
  accept(name: string): Promise<boolean>
  forget(name: string): Promise<void>
  waiting(): Promise<string[]>
}
