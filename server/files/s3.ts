import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Settings } from '../config.ts'
import { Refusal } from '../refuse.ts'
import type { Bucket } from './bucket.ts'

/** Of one request with its body. */
const SILENCE_MS = 60_000
const RETRY_SECONDS = 5

/** Opens a bucket that speaks the S3 API, addressed by its path. Its answers are for this server alone: no browser asks it. */
export function openS3({ endpoint, bucket, ...keys }: S3Settings): Bucket {
  async function send(method: string, name: string, body?: { bytes: Readable; sizeBytes: number }): Promise<Response> {
    const url = `${endpoint.href.replace(/\/$/, '')}/${bucket}/${name}`
    const signed = await new AwsV4Signer({ ...keys, method, url, service: 's3' }).sign()
    if (body) signed.headers.set('content-length', String(body.sizeBytes))
    const init = { method, headers: signed.headers, signal: AbortSignal.timeout(SILENCE_MS) }
    try {
      const streamed = body && { body: Readable.toWeb(body.bytes) as BodyInit, duplex: 'half' }
      return await fetch(signed.url, { ...init, ...streamed })
    } catch {
      // What went wrong with the bytes is said as it is. Anything else is a bucket that does not answer.
      throw body?.bytes.errored ?? new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS })
    }
  }

  return {
    async put(name, bytes, sizeBytes) {
      await done(await send('PUT', name, { bytes, sizeBytes }))
    },
    async get(name) {
      const response = await send('GET', name)
      if (response.ok && response.body) return Readable.fromWeb(response.body as ReadableStream)
      if (response.status === 404) return void (await response.body?.cancel())
      await done(response)
      return undefined
    },
    async remove(name) {
      const response = await send('DELETE', name)
      if (response.status !== 404) await done(response)
    },
  }
}

/** Reads an answer to its end. Throws if it is a refusal, which a wrong setting causes. */
async function done(response: Response): Promise<void> {
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The bucket answered ${response.status}`)
}
