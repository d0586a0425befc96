import { storedBytesOf } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { type Asked, askForParts, dropAsked, isInParts } from './putFile.ts'
import { type BytesOf, sealedBytes } from './sealedBytes.ts'

/** Time in which the addresses of the parts are used: the server takes bytes there for a little longer. */
const HOLDS_MS = (LIMITS.uploadSeconds * 1000) / 2

/** A file that is sealed while the person looks at it. Nothing of it goes out before it is sent. */
export interface Ahead {
  /** Of the message that it becomes. */
  id: string
  file: Blob
  /** Answers its sealed bytes, if it goes in parts. They stay in memory until then: read from the disk they would go out later. */
  bytesOf: BytesOf | undefined
  /** True once it is known that it could not be sealed: sent, it is sealed anew, and that says why. */
  hasFailed: boolean
  /** Answers the object that the server was asked for, once; undefined if there is none, or its addresses may not hold any more. */
  takeAsked: () => Promise<Asked | undefined> | undefined
  /** Deletes its sealed bytes unless it was sent, and has the server drop the object unless it was taken. */
  drop: () => Promise<void>
}

/** Seals a file that goes out as it is, before it is sent, and asks the server for its object if it goes in parts. */
export function sealAhead(env: Env, file: Blob): Ahead {
  const id = crypto.randomUUID()
  const sizeBytes = storedBytesOf(file.size)
  const bytesOf = isInParts(sizeBytes) ? sealedBytes(env, id, sizeBytes) : undefined
  env.crypto.sealAhead({ id, file }).catch(() => {
    ahead.hasFailed = true
  })
  const askedAt = Date.now()
  // Whatever fails here is asked again when the file is sent, and told then.
  let asked = isInParts(sizeBytes) ? askForParts(env).catch(() => undefined) : undefined
  const ahead: Ahead = {
    ...{ id, file, bytesOf, hasFailed: false },
    takeAsked() {
      if (Date.now() - askedAt > HOLDS_MS) return undefined
      const taken = asked
      asked = undefined
      return taken
    },
    async drop() {
      const left = asked
      asked = undefined
      // What cannot be deleted goes with the strays of a crash.
      await Promise.all([env.crypto.dropAhead({ id }).catch(() => undefined), dropAsked(env, left)])
    },
  }
  return ahead
}
