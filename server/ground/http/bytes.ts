import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../refuse.ts'

/** Both ends count from 0 and are included. */
export interface Range {
  first: number
  last: number
}

/** `mediaType` is what the server found, never what somebody said. */
export interface Bytes {
  mediaType: 'image/jpeg' | 'image/png' | 'image/gif' | 'application/octet-stream'
  sizeBytes: number
  /** Changes with the bytes alone. */
  etag: string
  /** undefined if the bytes are gone. */
  open(range?: Range): Promise<Readable | undefined>
}

/** Signed address in place of the bytes. */
export interface Elsewhere {
  address: string
}

/** Sends a download or one range of it (RFC 9110 section 14). No cache may keep what rights may end. Throws Refusal. */
export async function sendBytes(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: Bytes | Elsewhere,
): Promise<FastifyReply> {
  if ('address' in file) return reply.redirect(file.address)
  const { mediaType, sizeBytes } = file
  const etag = `"${file.etag}"`
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isSame ? rangeOf(headers.range, sizeBytes) : undefined
  if (range === null) {
    reply.header('content-range', `bytes */${sizeBytes}`)
    throw new Refusal('range_not_satisfiable')
  }
  const bytes = await file.open(range)
  if (!bytes) throw new Refusal('not_found')
  if (range) reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${sizeBytes}`)
  return reply
    .type(mediaType)
    .headers({
      'content-length': range ? range.last - range.first + 1 : sizeBytes,
      'content-disposition': 'attachment',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
      etag,
    })
    .send(bytes)
}

/** undefined without a usable header; null after the end. */
export function rangeOf(header: string | undefined, sizeBytes: number): Range | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from)
  const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  if (from !== '' && to !== '' && Number(to) < first) return undefined
  return first > last ? null : { first, last }
}
