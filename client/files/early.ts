import { uploaderApi } from '../../contract/files.ts'
import { storedBytesOf } from '../../contract/objects.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import type { Early } from './memory.ts'
import { stopped } from './note.ts'
import { dropObject, isInParts, PART_BYTES, type Piece, putMissing } from './put.ts'

/**
 * Begins to send a file that goes in parts, together with its sealing: its parts go out as they are sealed. undefined for what goes in one
 * request.
 */
export function beginEarly(env: Env, id: string, fileBytes: number): Early | undefined {
  const sizeBytes = storedBytesOf(fileBytes)
  if (!isInParts(sizeBytes)) return undefined
  // All are asked for now: nothing answers after the sealing.
  const steps = Array.from({ length: Math.ceil(sizeBytes / PART_BYTES) }, (_, at) =>
    env.crypto.sealedStep({ id, at }).catch(() => undefined),
  )
  const bytesOf = async ({ from, to }: Piece): Promise<Blob> => {
    const sealed = await Promise.all(steps.slice(from / PART_BYTES, Math.ceil(to / PART_BYTES)))
    if (sealed.includes(undefined)) throw stopped()
    return new Blob(sealed as Blob[])
  }
  const abort = new AbortController()
  // Whatever fails here is asked again once the file is kept, and told then.
  const asked = env.api(uploaderApi.begin, {}).catch(() => undefined)
  const send = async (): Promise<string> => {
    const begun = await asked
    if (!begun) throw stopped()
    const { key, uploadId, url } = begun
    const watching = { signal: abort.signal, onProgress: (part: number) => early.onProgress(part) }
    await putMissing(env, { sizeBytes, bytesOf, key, uploadId, stored: [], firstUrl: url }, watching)
    return key
  }
  const early: Early = {
    begun: asked.then((begun) => begun && { object: begun.key, uploadId: begun.uploadId }),
    whole: send(),
    onProgress: () => undefined,
    stop: () => abort.abort(stopped()),
    async giveUp() {
      early.stop()
      const begun = await early.begun
      // Where that fails the server drops it by itself after a day.
      if (begun) await dropObject(env, begun.object).catch(passOverRefusal)
    },
  }
  // It may fail long before somebody waits for it.
  early.whole.catch(() => undefined)
  return early
}

function passOverRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
