import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsV4Signer } from 'aws4fetch'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import type { S3Settings } from '../../settings/s3settings.ts'
import type { Bucket, DirectBucket } from './bucket.ts'

/** Time without a byte of a body or an answer's head. Slow transfers are not cut off. */
const SILENCE_MS = 60_000
const RETRY_SECONDS = 5
const FULL_SECONDS = 60
/** Prefix of names that await acceptance. */
const WAITING = 'incoming/'

interface Sent {
  body?: { bytes: Readable; sizeBytes: number }
  headers?: Record<string, string>
}

export function openS3({ endpoint, bucket, publicUrl, ...keys }: S3Settings): Bucket {
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
      // Errors of the bytes pass unchanged; others mean that the bucket is away.
      throw body?.bytes.errored ?? new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS })
    } finally {
      clearTimeout(timer)
    }
  }

  const own: Bucket = {
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
      // Letters, digits and hyphens are never escaped.
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

  async function accept(name: string): Promise<boolean> {
    const response = await send('PUT', `/${name}`, { headers: { 'x-amz-copy-source': `/${bucket}/${WAITING}${name}` } })
    if (response.status === 404) {
      await response.body?.cancel()
      return false
    }
    await done(response)
    return true
  }

  const signed = publicUrl === undefined ? undefined : addressesOf(publicUrl, keys)
  if (!signed) return own
  return {
    ...own,
    direct: {
      ...signed,
      accept,
      forget: (name) => own.remove(WAITING + name),
      waiting: async () => (await own.list(WAITING)).map((name) => name.slice(WAITING.length)),
    },
  }
}

type Keys = Pick<S3Settings, 'region' | 'accessKeyId' | 'secretAccessKey'>

function addressesOf(publicUrl: string, keys: Keys): Pick<DirectBucket, 'putAddress' | 'getAddress'> {
  async function sign(method: string, path: string, query: Record<string, string>, headers: Record<string, string> = {}) {
    const url = `${publicUrl}/${path}?${new URLSearchParams(query)}`
    // The library leaves the length out by default.
    const options = { ...keys, method, url, headers, service: 's3', signQuery: true, allHeaders: true }
    return (await new AwsV4Signer(options).sign()).url.href
  }
  const until = (seconds: number) => ({ 'X-Amz-Expires': String(seconds) })
  return {
    putAddress: (name, sizeBytes) =>
      sign('PUT', WAITING + name, until(LIMITS.uploadSeconds), { 'content-length': String(sizeBytes) }),
    getAddress: (name) =>
      sign('GET', name, {
        ...until(LIMITS.downloadSeconds),
        'response-content-type': 'application/octet-stream',
        'response-content-disposition': 'attachment',
        'response-cache-control': 'private, no-store',
      }),
  }
}

async function* noticed(bytes: Readable, timer: NodeJS.Timeout): AsyncGenerator<Buffer> {
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    timer.refresh()
    yield chunk
  }
}

/** Throws if the bucket refuses. */
async function done(response: Response): Promise<void> {
  await response.arrayBuffer()
  // RFC 4918 section 11.5 (MinIO, Ceph).
  if (response.status === 507) throw new Refusal('server_full', { retryAfterSeconds: FULL_SECONDS })
  if (!response.ok) throw new Error(`The bucket answered ${response.status}`)
}
