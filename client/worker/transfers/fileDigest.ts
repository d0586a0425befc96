import type { Bytes } from '../../../contract/ground/bytes.ts'
import { partOf } from '../primitives/loadPart.ts'
import { runningDigest } from '../primitives/seal.ts'

/** SHA-256 of a file that comes in pieces. */
export interface FileDigest {
  update(bytes: Bytes): unknown
  digest(): Uint8Array
}

const loadSha256 = partOf(async () => (await import('hash-wasm')).createSHA256)

/** WebAssembly takes half of the time of JavaScript, and the browser's own takes no pieces. */
export async function fileDigest(): Promise<FileDigest> {
  if (typeof WebAssembly === 'undefined') return runningDigest()
  const hasher = (await (await loadSha256())()).init()
  return { update: (bytes) => hasher.update(bytes), digest: () => hasher.digest('binary') }
}
