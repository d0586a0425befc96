import type { Bytes } from '../../contract/ground/bytes.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { ApiError, refusalOf } from './api.ts'

export interface Watching {
  /** Receives the part that is done, from 0 to 1; 0 again where it breaks off. */
  onProgress?: (part: number) => void
  signal?: AbortSignal
}

/**
 * Sends bytes to an address that the server has answered for them. Returns the ETag of this server's answer, null if it has none.
 * Throws ApiError, or the signal's reason.
 */
export const sendBytes = async (address: string, bytes: Blob, watching: Watching): Promise<string | null> =>
  etagOf(address, await send(address, bytes, watching))

/** A bucket may not let pages read its ETags, and asking for one would stand in the console. */
const etagOf = (address: string, request: XMLHttpRequest): string | null =>
  address.startsWith('/') ? request.getResponseHeader('ETag') : null

interface Receiving {
  /** How many bytes there are. An answer of another length is not read. */
  sizeBytes: number
  /** How many of them are here already: they are not asked for again. */
  from: number
  /** Receives the others as they come, and answers false once it wants no more. */
  take: (piece: Bytes) => boolean
  signal?: AbortSignal
}

/** Reads the bytes at an address until there are no more, or the signal comes. Throws ApiError. */
export async function receiveBytes(address: string, { sizeBytes, from, take, signal }: Receiving): Promise<void> {
  const abort = new AbortController()
  signal?.addEventListener('abort', () => abort.abort(), { once: true })
  let isSilent = false
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    const silence = setTimeout(() => {
      isSilent = true
      abort.abort()
    }, PERIODS.uploadSilenceMs)
    return await step.finally(() => clearTimeout(silence))
  }
  try {
    const headers = { ...(from > 0 && { Range: `bytes=${from}-` }) }
    const response = await inTime(fetch(address, { cache: 'no-store', headers, signal: abort.signal }))
    if (!response.ok) throw refusalOf(response, await inTime(response.text()))
    // Who knows no ranges answers from the beginning.
    let known = response.status === 206 ? 0 : from
    const length = response.headers.get('Content-Length')
    if (length !== null && Number(length) !== sizeBytes - from + known) return
    const reader = response.body?.getReader()
    for (;;) {
      const { value } = (await (reader && inTime(reader.read()))) ?? {}
      if (!value) return
      const piece = value.subarray(known)
      known -= value.length - piece.length
      if (piece.length > 0 && !take(piece)) return
    }
  } catch (error) {
    // What the browser throws where a line breaks or the request is aborted.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error
    throw isSilent ? unanswered() : new ApiError(0, 'offline', 'The server cannot be reached')
  } finally {
    abort.abort()
  }
}

const unanswered = () => new ApiError(0, 'no_answer', 'The server does not answer. Please try again')

// `fetch` does not say how much of a request is sent.
function send(address: string, body: Blob, { onProgress, signal }: Watching): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    // The browser would take it for the address of the page.
    if (address === '') return reject(new ApiError(400, 'invalid_input', 'Cannot upload to an undefined URL'))
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
    // Its name and type stay here: the server stores bytes.
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.onprogress = onPart
    request.onerror = () => fail(new ApiError(0, 'offline', 'The server cannot be reached'))
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

async function refusedWith({ status, statusText, response }: XMLHttpRequest): Promise<ApiError> {
  const text = response instanceof Blob ? await response.text() : ''
  return refusalOf(new Response(null, { status, statusText: statusText || 'Non 2xx' }), text)
}
