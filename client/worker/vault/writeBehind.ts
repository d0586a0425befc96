import type { Bytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { memoryKey, writeFile } from './disk.ts'
import { behind } from './unwrittenFiles.ts'

/**
 * Writes a sealed file while nobody waits for it. Whoever reads, lists, moves or deletes it waits until it is written. Without space, or where
 * another tab writes it or deletes its folder, it is not there.
 */
export function writeBehind(place: [string, string, string], pieces: Bytes[]): void {
  const key = memoryKey(...place)
  const written = writeFile(place, inTasks(pieces), { isFlushed: false })
    .then(() => undefined, passOverUnwritten)
    .finally(() => behind.delete(key))
  behind.set(key, written)
}

/** A write holds its thread: others have a turn before each. */
async function* inTasks(pieces: Bytes[]): AsyncGenerator<Bytes, undefined> {
  for (const piece of pieces) {
    await new Promise((resolve) => setTimeout(resolve))
    yield piece
  }
  return undefined
}

function passOverUnwritten(error: unknown): void {
  if (!(error instanceof DOMException || error instanceof CryptoFailure)) throw error
}
