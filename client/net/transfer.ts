import { PERIODS } from '../../contract/limits.ts'
import { ApiError, refusalOf } from './api.ts'

export interface Watching {
  /** Receives the part that is done, from 0 to 1; 0 again where it breaks off. */
  onProgress?: (part: number) => void
  /** Is told once all bytes have gone out, before the server has answered. From then on the signal ends nothing. */
  onSent?: () => void
  signal?: AbortSignal
}

/**
 * Sends bytes to an address that the server has answered for them. Returns the ETag of this server's answer, null if it has none.
 * Throws ApiError, or the signal's reason.
 */
export const sendBytes = async (address: string, bytes: Blob, watching: Watching): Promise<string | null> =>
  etagOf(address, await transfer('PUT', address, bytes, watching))

/** A bucket may not let pages read its ETags, and asking for one would stand in the console. */
const etagOf = (address: string, request: XMLHttpRequest): string | null =>
  address.startsWith('/') ? request.getResponseHeader('ETag') : null

/** Reads the bytes at an address, at most `limitBytes`. Throws ApiError, or the signal's reason. */
export async function receiveBytes(address: string, limitBytes: number, watching: Watching): Promise<Blob> {
  const { response } = await transfer('GET', address, null, watching, limitBytes)
  return response as Blob
}

// `fetch` does not say how much of a request is sent.
function transfer(
  method: 'GET' | 'PUT',
  address: string,
  body: Blob | null,
  { onProgress, onSent, signal }: Watching,
  limitBytes = Number.POSITIVE_INFINITY,
): Promise<XMLHttpRequest> {
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
        fail(new ApiError(0, 'no_answer', 'The server does not answer. Please try again'))
        request.abort()
      }, PERIODS.uploadSilenceMs)
    }
    const onPart = ({ loaded, total, lengthComputable }: ProgressEvent) => {
      wait()
      if (loaded > limitBytes) {
        fail(new ApiError(request.status, 'unreadable_answer', 'The server answered with more than this page reads'))
        request.abort()
      } else if (lengthComputable && total > 0) onProgress?.(loaded / total)
    }
    request.open(method, address)
    request.responseType = 'blob'
    // Its name and type stay here: the server stores bytes.
    if (body) request.setRequestHeader('Content-Type', 'application/octet-stream')
    ;(body ? request.upload : request).onprogress = onPart
    request.upload.onload = () => {
      if (!onSent) return
      // What has gone out whole is not given up: the server is about to have it.
      signal?.removeEventListener('abort', stop)
      onSent()
    }
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
