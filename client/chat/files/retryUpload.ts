import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { dropObject, putFile } from './putFile.ts'
import type { Early } from './uploadsState.ts'
import { change, find, type Name, note, remove, stopped } from './waitingFile.ts'

/** Waits before a new attempt; after the last of them the next connection starts it. */
const RETRY_MS = [0, 1000, 3000, 5000]
/** Attempts that find the server at work on a file, before it is taken for one that was stopped while it wrote. */
const WRITES_TRIES = 2

/**
 * Sends a file that waits to the server, anew after a failure that passes. Throws ApiError, CryptoFailure('file_absent'), or the signal's
 * reason.
 */
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
      if (waitMs === undefined || !isPassing(error) || signal.aborted) throw error
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
 * Waits for a file that goes out since it was sealed. undefined if that has failed: it goes out as any other then, without the parts that the
 * server has. Throws the signal's reason.
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

/** The person has given up the file, maybe in another tab, while the server was asked for this object. */
async function dropUnwanted(env: Env, id: string, object: string): Promise<never> {
  remove(id)
  await dropObject(env, object)
  throw stopped()
}

/** True if the server takes no more bytes of what was begun: it has dropped that after a day, or was stopped while it wrote it. */
const isGone = (error: unknown): boolean => error instanceof ApiError && (error.status === 404 || error.status === 409)

/** True if the server may be at work on what it has received: it is asked again before all of it is sent once more. */
const mayBeThereSoon = (error: unknown, attempt: number): boolean =>
  error instanceof ApiError && error.status === 409 && attempt < WRITES_TRIES

/** True if the next attempt may succeed: an address that has expired is one such, and so is a server that is away or busy. */
const isPassing = (error: unknown): boolean =>
  isGone(error) ||
  (error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.message === 'Request has expired'))

/** Why a file waits, if it goes on by itself. */
export function reasonToWait({ status, message }: ApiError): string | undefined {
  if (status === 401) return 'It goes on when you are signed in again.'
  if (status === 0) return 'It goes on when the connection is back.'
  return status === 429 || status >= 500 ? `${message}. It is tried again.` : undefined
}
