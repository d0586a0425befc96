import { storedBytesOf } from '../../../contract/chat/objects.ts'
import type { Env } from '../../env.ts'
import { type Asked, askForParts, dropAsked, isInParts, putMissing } from './putFile.ts'
import type { Ahead } from './sealAhead.ts'
import { sealedBytes } from './sealedBytes.ts'
import type { Early } from './uploadsState.ts'
import { stopped } from './waitingFile.ts'

/**
 * Begins to send a file that goes in parts, together with its sealing, unless it was sealed `ahead`: its parts go out as they are sealed.
 * undefined for what goes in one request.
 */
export function beginEarly(env: Env, id: string, fileBytes: number, ahead?: Ahead): Early | undefined {
  const sizeBytes = storedBytesOf(fileBytes)
  if (!isInParts(sizeBytes)) return undefined
  const bytesOf = ahead?.bytesOf ?? sealedBytes(env, id, sizeBytes)
  const abort = new AbortController()
  // Whatever fails here is asked again once the file is kept, and told then.
  const asked = askedFor(env, ahead).catch(() => undefined)
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
  // It may fail long before somebody waits for it.
  early.whole.catch(() => undefined)
  return early
}

const askedFor = async (env: Env, ahead: Ahead | undefined): Promise<Asked> =>
  (await ahead?.takeAsked()) ?? (await askForParts(env))
