import type { Readable } from 'node:stream'
import type { Range } from '../../ground/http/bytes.ts'

/** Stores bytes under names, as an S3 bucket does. A name is an object's id: it has no slash. */
export interface Bucket {
  /** Stores these bytes for good before it resolves. Where they end early or too late, nothing is stored, and it rejects. */
  put(name: string, bytes: Readable, sizeBytes: number): Promise<void>
  /** All bytes, or those of a range that lies within them. undefined if nothing is stored under this name. */
  get(name: string, range?: Range): Promise<Readable | undefined>
  /** Does nothing if nothing is stored under this name. */
  remove(name: string): Promise<void>
  /** All names that begin with these characters, at least two. */
  list(prefix: string): Promise<string[]>
  /** Absent if all bytes go through this server. */
  direct?: DirectBucket
}

/**
 * What browsers ask the bucket themselves. What they send waits under a name of its own until the server accepts it: of the names that
 * are read no address lets anybody write.
 */
export interface DirectBucket {
  /** Returns the address that takes exactly so many bytes by PUT, for `LIMITS.uploadSeconds`. */
  putAddress(name: string, sizeBytes: number): Promise<string>
  /** Returns the address that answers the bytes, to be kept and not shown, for `LIMITS.downloadSeconds`. */
  getAddress(name: string): Promise<string>
  /** Copies what waits to the name that is read. Returns false if nothing waits. */
  accept(name: string): Promise<boolean>
  /** Deletes what waits. */
  forget(name: string): Promise<void>
  /** The names under which something waits. */
  waiting(): Promise<string[]>
}
