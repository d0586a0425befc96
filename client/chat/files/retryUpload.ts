import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { dropObject, putFile } from './putFile.ts'
import type { Early } from './uploadsState.ts'
import { change, find, type Name, note, remove, stopped } from './waitingFile.ts'

/** After the last wait the next connection starts an attempt. */
const RETRY_MS = [0, 1000, 3000, 5000]
/** Attempts before a file in work at the server counts as abandoned. */
const WRITES_TRIES = 2

/** Retries passing failures. Throws ApiError, CryptoFailure('file_absent'), or the signal's reason. */
export async function sendUpload(env: Env, name: Name, signal: AbortSignal): Promise<void> {
  const { id } = name
  const early = find(id)?.early
  change(id, { early: undefined })
  const object = early && (await wentEarly(env, name, early, signal))
  if (object !== undefined) return await noteStored(env, name, object)
  const bytes = await env.crypto.uploadBytes(name)
  for (let attempt = 0; ; attempt++) {
    change(id, { state: 'uploading', reason: null })
    try {
      const object = await putFile(env, bytes, find(id)?.begun ?? null, {
        signal,
        onProgress: (part) => change(id, { part }),
        async onBegun(begun) {
          if (!(await note(env, name, { begun }))) await dropUnwanted(env, id, begun.object)
        },
      })
      return await noteStored(env, name, object)
    } catch (error) {
      const waitMs = RETRY_MS[attempt]
      if (waitMs === undefined || !isPassing(error) || signal.aborted || globalThis.navigator?.onLine === false) throw error
      const { begun = null } = find(id) ?? {}
      if (begun && isGone(error) && !mayBeThereSoon(error, attempt)) {
        await dropObject(env, begun.object)
        await note(env, name, { begun: null })
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      signal.throwIfAborted()
    }
  }
}

/**
 * Waits for a file sent during the sealing; undefined after a failure, and then the missing parts follow. Throws the signal's
 * reason.
 */
async function wentEarly(env: Env, name: Name, early: Early, signal: AbortSignal): Promise<string | undefined> {
  const { id } = name
  signal.addEventListener('abort', early.stop, { once: true })
  if (signal.aborted) early.stop()
  early.onProgress = (part) => change(id, { part })
  change(id, { state: 'uploading', reason: null })
  const begun = await early.begun
  if (begun && !(await note(env, name, { begun }))) {
    early.stop()
    await dropUnwanted(env, id, begun.object)
  }
  const object = await early.whole.catch((error: unknown) => {
    if (error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')) return undefined
    throw error
  })
  signal.removeEventListener('abort', early.stop)
  signal.throwIfAborted()
  return object
}

async function noteStored(env: Env, name: Name, object: string): Promise<void> {
  if (!(await note(env, name, { object }))) await dropUnwanted(env, name.id, object)
  change(name.id, { state: 'stored', part: 1 })
}

/** The person has given up the file, maybe in another tab. */
async function dropUnwanted(env: Env, id: string, object: string): Promise<never> {
  remove(id)
  await dropObject(env, object)
  throw stopped()
}

/** The server has dropped the begun object after a day, or stopped while writing. */
const isGone = (error: unknown): boolean => error instanceof ApiError && (error.status === 404 || error.status === 409)

/** The server may still be writing: a second question can spare the upload. */
const mayBeThereSoon = (error: unknown, attempt: number): boolean =>
  error instanceof ApiError && error.status === 409 && attempt < WRITES_TRIES

/** Expired addresses and a busy server are passing failures. */
const isPassing = (error: unknown): boolean =>
  isGone(error) ||
  (error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.message === 'Request has expired'))

/** Returns the reason if the file continues automatically. */
export function reasonToWait({ status, code, message }: ApiError): string | undefined {
  if (code === 'device_required') return 'It goes on when the server knows this browser again.'
  if (status === 401) return 'It goes on when you are signed in again.'
  if (status === 0) return 'It goes on when the connection is back.'
  return status === 429 || status >= 500 ? `${message}. It is tried again.` : undefined
}
