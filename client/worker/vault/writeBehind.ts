import type { Bytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { memoryKey, writeFile } from './disk.ts'
import { behind } from './unwrittenFiles.ts'

/** Writes a sealed file in the background. Without space the file is absent. */
export function writeBehind(place: [string, string, string], pieces: Bytes[]): void {
  const key = memoryKey(...place)
  const written = writeFile(place, inTasks(pieces), { isFlushed: false })
    .then(() => undefined, passOverUnwritten)
    .finally(() => behind.delete(key))
  behind.set(key, written)
}

/** Other tasks run between writes. */
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
