import type { Bytes } from '../../contract/ground/bytes.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { ApiError, refusalOf } from './api.ts'
import { isOnionOrigin } from './onion.ts'
import { patience } from './patience.ts'

/** Throws ApiError on an onion origin for another one. */
export function requireOwnAddress(address: string): void {
  if (!isOnionOrigin() || new URL(address, location.href).origin === location.origin) return
  throw new ApiError(400, 'invalid_input', 'The server named an address outside of Tor for this file. Nothing was sent there')
}

export interface Watching {
  /** From 0 to 1; 0 again after a break. */
  onProgress?: (part: number) => void
  signal?: AbortSignal
}

/** Returns the ETag or null. Throws ApiError, or the signal's reason. */
export const sendBytes = async (address: string, bytes: Blob, watching: Watching): Promise<string | null> =>
  etagOf(address, await send(address, bytes, watching))

/** A bucket may hide the header, and asking for it would log an error. */
const etagOf = (address: string, request: XMLHttpRequest): string | null =>
  address.startsWith('/') ? request.getResponseHeader('ETag') : null

interface Receiving {
  /** An answer of another length is not read. */
  sizeBytes: number
  /** These bytes are here already. */
  from: number
  /** Returns false to stop. */
  take: (piece: Bytes) => boolean
  signal?: AbortSignal
}

/** Throws ApiError. */
export async function receiveBytes(address: string, { sizeBytes, from, take, signal }: Receiving): Promise<void> {
  const abort = new AbortController()
  signal?.addEventListener('abort', () => abort.abort(), { once: true })
  let isSilent = false
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    const silence = setTimeout(() => {
      isSilent = true
      abort.abort()
    }, patience().pieceSilenceMs)
    return await step.finally(() => clearTimeout(silence))
  }
  try {
    const headers = { ...(from > 0 && { Range: `bytes=${from}-` }) }
    const redirect = isOnionOrigin() ? 'error' : 'follow'
    const response = await inTime(fetch(address, { cache: 'no-store', headers, redirect, signal: abort.signal }))
    if (!response.ok) throw await refusalOf(response, await inTime(response.text()))
    let known = response.status === 206 ? 0 : from
    const length = response.headers.get('Content-Length')
    let missing = sizeBytes - from + known
    if (length !== null && Number(length) !== missing) return
    const reader = response.body?.getReader()
    for (;;) {
      const { value } = (await (reader && inTime(reader.read()))) ?? {}
      // Firefox reports no cut.
      if (!value && length !== null && missing > 0) throw offline()
      if (!value) return
      missing -= value.length
      const piece = value.subarray(known)
      known -= value.length - piece.length
      if (piece.length > 0 && !take(piece)) return
    }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error
    throw isSilent ? unanswered() : offline()
  } finally {
    abort.abort()
  }
}

const offline = () => new ApiError(0, 'offline', 'The server cannot be reached')
const unanswered = () => new ApiError(0, 'no_answer', 'The server does not answer. Please try again')

// `fetch` reports no progress.
function send(address: string, body: Blob, { onProgress, signal }: Watching): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    // '' means the page's address.
    if (address === '') return reject(new ApiError(400, 'invalid_input', 'Cannot upload to an undefined URL'))
    requireOwnAddress(address)
    const request = new XMLHttpRequest()
    let silence: ReturnType<typeof setTimeout> | undefined
    const fail = (error: unknown) => {
      clearTimeout(silence)
      onProgress?.(0)
      reject(error)
    }
    const wait = () => {
      clearTimeout(silence)
      silence = setTimeout(() => {
        fail(unanswered())
        request.abort()
      }, PERIODS.uploadSilenceMs)
    }
    const onPart = ({ loaded, total, lengthComputable }: ProgressEvent) => {
      wait()
      if (lengthComputable && total > 0) onProgress?.(loaded / total)
    }
    request.open('PUT', address)
    request.responseType = 'blob'
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.onprogress = onPart
    request.onerror = () => fail(offline())
    request.onabort = () => fail(signal?.reason)
    request.onload = () => {
      clearTimeout(silence)
      signal?.removeEventListener('abort', stop)
      if (request.status >= 200 && request.status < 300) return resolve(request)
      void refusedWith(request).then(fail, fail)
    }
    const stop = () => request.abort()
    signal?.addEventListener('abort', stop, { once: true })
    wait()
    request.send(body)
  })
}

async function refusedWith({ status, response }: XMLHttpRequest): Promise<ApiError> {
  const text = response instanceof Blob ? await response.text() : ''
  return await refusalOf(new Response(null, { status }), text)
}
