import { storedBytesOf } from '../../../contract/chat/objects.ts'
import type { Env } from '../../env.ts'
import { askForParts, dropAsked, isInParts, putMissing } from './putFile.ts'
import { type BytesOf, sealedBytes } from './sealedBytes.ts'
import type { Early } from './uploadsState.ts'
import { stopped } from './waitingFile.ts'

/**
 * Sends the parts of a large file during the sealing; `sealed` returns bytes that already exist. undefined for a file in one
 * request.
 */
export function beginEarly(env: Env, id: string, fileBytes: number, sealed?: BytesOf): Early | undefined {
  const sizeBytes = storedBytesOf(fileBytes)
  if (!isInParts(sizeBytes)) return undefined
  const bytesOf = sealed ?? sealedBytes(env, id, sizeBytes)
  const abort = new AbortController()
  // The kept file repeats a failed request and reports the failure.
  const asked = askForParts(env).catch(() => undefined)
  const send = async (): Promise<string> => {
    const begun = await asked
    if (!begun) throw stopped()
    const { key, uploadId, urls = [] } = begun
    const watching = { signal: abort.signal, onProgress: (part: number) => early.onProgress(part) }
    await putMissing(env, { sizeBytes, bytesOf, key, uploadId, stored: [], urls }, watching)
    return key
  }
  const early: Early = {
    begun: asked.then((begun) => begun && { object: begun.key, uploadId: begun.uploadId }),
    whole: send(),
    onProgress: () => undefined,
    stop: () => abort.abort(stopped()),
    async giveUp() {
      early.stop()
      await dropAsked(env, asked)
    },
  }
  // The promise may reject long before a caller waits.
  early.whole.catch(() => undefined)
  return early
}
