import { storedBytesOf } from '../../../contract/chat/objects.ts'
import type { Env } from '../../env.ts'
import { isInParts } from './putFile.ts'
import { type BytesOf, sealedBytes } from './sealedBytes.ts'

/** The server learns nothing before the person sends the file. */
export interface Ahead {
  /** The later message's id. */
  id: string
  file: Blob
  /** Sealed bytes of a file in parts, in memory: a read from disk would delay sending. */
  bytesOf: BytesOf | undefined
  /** A second sealing then reports the failure. */
  hasFailed: boolean
  /** Keeps the bytes of a sent file. */
  drop: () => Promise<void>
}

export function sealAhead(env: Env, file: Blob): Ahead {
  const id = crypto.randomUUID()
  const sizeBytes = storedBytesOf(file.size)
  const bytesOf = isInParts(sizeBytes) ? sealedBytes(env, id, sizeBytes) : undefined
  // The cleanup after a crash deletes the rest.
  const drop = () => env.crypto.dropAhead({ id }).catch(() => undefined)
  const ahead: Ahead = { id, file, bytesOf, hasFailed: false, drop }
  env.crypto.sealAhead({ id, file }).catch(() => {
    ahead.hasFailed = true
  })
  return ahead
}
