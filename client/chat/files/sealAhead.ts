import { storedBytesOf } from '../../../contract/chat/objects.ts'
import type { Env } from '../../env.ts'
import { isInParts } from './putFile.ts'
import { type BytesOf, sealedBytes } from './sealedBytes.ts'

/** A file that is sealed while the person looks at it. The server learns nothing of it before it is sent. */
export interface Ahead {
  /** Of the message that it becomes. */
  id: string
  file: Blob
  /** Answers its sealed bytes, if it goes in parts. They stay in memory until then: read from the disk they would go out later. */
  bytesOf: BytesOf | undefined
  /** True once it is known that it could not be sealed: sent, it is sealed anew, and that says why. */
  hasFailed: boolean
  /** Deletes its sealed bytes unless it was sent. */
  drop: () => Promise<void>
}

/** Seals a file that goes out as it is, before it is sent. */
export function sealAhead(env: Env, file: Blob): Ahead {
  const id = crypto.randomUUID()
  const sizeBytes = storedBytesOf(file.size)
  const bytesOf = isInParts(sizeBytes) ? sealedBytes(env, id, sizeBytes) : undefined
  // What cannot be deleted goes with the strays of a crash.
  const drop = () => env.crypto.dropAhead({ id }).catch(() => undefined)
  const ahead: Ahead = { id, file, bytesOf, hasFailed: false, drop }
  env.crypto.sealAhead({ id, file }).catch(() => {
    ahead.hasFailed = true
  })
  return ahead
}
