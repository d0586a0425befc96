import type { Readable } from 'node:stream'
import type { Range } from '../http/bytes.ts'

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
}
