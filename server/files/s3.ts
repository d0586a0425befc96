import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Settings } from '../config.ts'
import { Refusal } from '../refuse.ts'
import type { Bucket } from './bucket.ts'

/** A request fails after this time without a byte of its body, or of the answer's head. Slow senders and readers are not cut off. */
const SILENCE_MS = 60_000
const RETRY_SECONDS = 5

interface Sent {
  body?: { bytes: Readable; sizeBytes: number }
  headers?: Record<string, string>
}

/** Opens a bucket that speaks the S3 API, addressed by its path. Its answers are for this server alone: no browser asks it. */
export function openS3({ endpoint, bucket, ...keys }: S3Settings): Bucket {
  const root = `${endpoint.href.replace(/\/$/, '')}/${bucket}`

  async function send(method: string, path: string, { body, headers }: Sent = {}): Promise<Response> {
    const signed = await new AwsV4Signer({ ...keys, method, url: root + path, service: 's3', headers: headers ?? {} }).sign()
    if (body) signed.headers.set('content-length', String(body.sizeBytes))
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), SILENCE_MS)
    const init = { method, headers: signed.headers, signal: controller.signal }
    try {
      const bytes = body && Readable.from(noticed(body.bytes, timer), { objectMode: false })
      return await fetch(signed.url, { ...init, ...(bytes && { body: Readable.toWeb(bytes) as BodyInit, duplex: 'half' }) })
    } catch {
      // What went wrong with the bytes is said as it is. Anything else is a bucket that does not answer.
      throw body?.bytes.errored ?? new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async put(name, bytes, sizeBytes) {
      await done(await send('PUT', `/${name}`, { body: { bytes, sizeBytes } }))
    },
    async get(name, range) {
      const headers = range && { range: `bytes=${range.first}-${range.last}` }
      const response = await send('GET', `/${name}`, { ...(headers && { headers }) })
      if (response.ok && response.body) return Readable.fromWeb(response.body as ReadableStream)
      if (response.status === 404) return void (await response.body?.cancel())
      await done(response)
      return undefined
    },
    async remove(name) {
      const response = await send('DELETE', `/${name}`)
      if (response.status !== 404) await done(response)
    },
    async list(prefix) {
      const names: string[] = []
      // Of names of letters, digits and hyphens nothing is escaped in the answer.
      for (let after: string | undefined = ''; after !== undefined; ) {
        const response = await send('GET', `?list-type=2&prefix=${prefix}${after && `&start-after=${after}`}`)
        const text = await response.text()
        if (!response.ok) throw new Error(`The bucket answered ${response.status}`)
        const page = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name)
        names.push(...page)
        after = text.includes('<IsTruncated>true</IsTruncated>') ? page.at(-1) : undefined
      }
      return names
    },
  }
}

/** Passes the bytes on, and starts the timer anew with each piece. */
async function* noticed(bytes: Readable, timer: NodeJS.Timeout): AsyncGenerator<Buffer> {
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    timer.refresh()
    yield chunk
  }
}

/** Reads an answer to its end. Throws if it is a refusal, which a wrong setting causes. */
async function done(response: Response): Promise<void> {
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The bucket answered ${response.status}`)
}
