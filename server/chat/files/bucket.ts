import type { Readable } from 'node:stream'
import type { Range } from '../../ground/http/bytes.ts'

/** A name is an object's id, without a slash. */
export interface Bucket {
  /** Resolves when the bytes are stored for good. Rejects bytes of another length and stores nothing. */
  put(name: string, bytes: Readable, sizeBytes: number): Promise<void>
  /** undefined if nothing is stored. */
  get(name: string, range?: Range): Promise<Readable | undefined>
  remove(name: string): Promise<void>
  /** `prefix` has at least two characters. */
  list(prefix: string): Promise<string[]>
  /** Absent if all bytes go through this server. */
  direct?: DirectBucket
}

/** Browsers write under waiting names, so no address lets anybody write to a name that is read. */
export interface DirectBucket {
  /** Returns an address for a PUT of that size, for `LIMITS.uploadSeconds`. */
  putAddress(name: string, sizeBytes: number): Promise<string>
  /** Returns an address for `LIMITS.downloadSeconds`. */
  getAddress(name: string): Promise<string>
  /** Returns false if nothing waits. */
  accept(name: string): Promise<boolean>
  forget(name: string): Promise<void>
  waiting(): Promise<string[]>
}
