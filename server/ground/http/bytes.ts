import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../refuse.ts'

/** The bytes from `first` to `last`, both counted from 0 and included. */
export interface Range {
  first: number
  last: number
}

/** A file as an answer. `mediaType` is what the server has found out, never what somebody has said. */
export interface Bytes {
  mediaType: 'image/jpeg' | 'image/png' | 'image/gif' | 'application/octet-stream'
  sizeBytes: number
  /** The same as long as the bytes are. */
  etag: string
  /** Opens all bytes, or those of a range within them. undefined if they are gone. */
  open(range?: Range): Promise<Readable | undefined>
}

/** Where the bytes of a file are answered instead: an address that was signed for this answer. */
export interface Elsewhere {
  address: string
}

/**
 * Sends a file to be kept or drawn: a page that opens its address downloads it. No cache keeps it, because the right to it ends. A
 * request for one range of it is answered by that range (RFC 9110 section 14), so that a broken download goes on. Throws Refusal.
 */
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

/** Reads a Range header: undefined without one, and for one that may be ignored; null if it lies behind the end. */
export function rangeOf(header: string | undefined, sizeBytes: number): Range | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from)
  const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  if (from !== '' && to !== '' && Number(to) < first) return undefined
  return first > last ? null : { first, last }
}
