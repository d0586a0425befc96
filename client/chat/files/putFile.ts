import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inLanes } from '../../net/inTurn.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { sendBytes } from '../../net/transfer.ts'
import type { UploadRow } from '../../worker/crypto.ts'

export type Begun = NonNullable<UploadRow['begun']>

interface Putting {
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress: (part: number) => void
  /** Runs before any byte is sent, and throws to prevent sending. */
  onBegun: (begun: Begun) => Promise<void>
}

/** Less of it is lost with a circuit. */
const partBytes = (): number => (isOnionOrigin() ? LIMITS.onionPartMinBytes : LIMITS.uploadPartMinBytes)
/** The next part goes while the first one waits for its answer. */
const ONION_AT_ONCE = 2
/** A slower first part stops the parts beside it. */
export const AT_ONCE_MS = 500
/** A rest of less than this part of a part is none of its own. */
const SHORT = 0.1

/**
 * Returns the object's id. A whole `begun` object is not sent again, a large object continues with its missing parts, and a small
 * file begins again, at the bucket if reachable. Throws ApiError, or the signal's reason.
 */
export async function putFile(env: Env, bytes: Blob, begun: Begun | null, putting: Putting): Promise<string> {
  if (begun && (await isStored(env, begun))) return begun.object
  return await (isInParts(bytes.size) ? putParts : putWhole)(env, bytes, begun, putting)
}

/** Throws ApiError. */
async function isStored(env: Env, { object: objectId }: Begun): Promise<boolean> {
  try {
    await env.api(filesApi.finish, { objectId })
    return true
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.code === 'incomplete_upload')) return false
    throw error
  }
}

async function putWhole(env: Env, bytes: Blob, before: Begun | null, { signal, onProgress, onBegun }: Putting): Promise<string> {
  // An incomplete object would take space for a day.
  if (before) await dropObject(env, before.object)
  const { url, key, otherwise } = await env.api(uploaderApi.params, { size: bytes.size })
  await onBegun({ object: key, uploadId: null })
  const watching = { signal, onProgress }
  if (otherwise === undefined) {
    await sendBytes(url, bytes, watching)
    return key
  }
  try {
    await sendBytes(url, bytes, watching)
    await env.api(filesApi.finish, { objectId: key })
  } catch (error) {
    // An unreachable bucket does not stop the file.
    if (!(error instanceof ApiError)) throw error
    await sendBytes(otherwise, bytes, watching)
  }
  return key
}

export const isInParts = (sizeBytes: number): boolean => sizeBytes > partBytes()

export interface Piece {
  partNumber: number
  from: number
  to: number
}

/** Parts of 5 MiB, through Tor of 1 MiB; the last part includes a short rest. */
function piecesOf(sizeBytes: number): Piece[] {
  const bytes = partBytes()
  const count = Math.max(1, Math.ceil(sizeBytes / bytes - SHORT))
  const endOf = (at: number) => (at === count ? sizeBytes : at * bytes)
  return Array.from({ length: count }, (_, at) => ({ partNumber: at + 1, from: at * bytes, to: endOf(at + 1) }))
}

type Stored = Awaited<ReturnType<typeof listed>>
const listed = (env: Env, upload: { key: string; uploadId: string }) => env.api(uploaderApi.parts, upload)

async function putParts(env: Env, bytes: Blob, before: Begun | null, putting: Putting): Promise<string> {
  const pieces = piecesOf(bytes.size)
  const known = before?.uploadId ? { key: before.object, uploadId: before.uploadId } : undefined
  const stored = known ? await listed(env, known) : []
  // Another build has cut other parts.
  const isOurs = stored.every(({ PartNumber, Size }) =>
    pieces.some((one) => one.partNumber === PartNumber && one.to - one.from === Size),
  )
  const upload = isOurs ? known : undefined
  if (before && !upload) await dropObject(env, before.object)
  const bytesOf = async ({ from, to }: Piece) => bytes.slice(from, to)
  const rest = { sizeBytes: bytes.size, bytesOf }
  if (upload) {
    await putMissing(env, { ...rest, ...upload, stored, urls: [] }, putting)
    return upload.key
  }
  const { key, uploadId, urls = [] } = await askForParts(env)
  await putting.onBegun({ object: key, uploadId })
  await putMissing(env, { ...rest, key, uploadId, stored: [], urls }, putting)
  return key
}

interface Missing {
  sizeBytes: number
  bytesOf: (piece: Piece) => Promise<Blob>
  key: string
  uploadId: string
  stored: Stored
  /** Known addresses of the first parts. */
  urls: string[]
}

/** Sends missing parts and joins all. */
export async function putMissing(
  env: Env,
  { sizeBytes, bytesOf, key, uploadId, stored, urls }: Missing,
  { signal, onProgress }: Pick<Putting, 'signal' | 'onProgress'>,
): Promise<void> {
  const pieces = piecesOf(sizeBytes)
  const named = { key, uploadId }
  const etags = new Map(stored.map(({ PartNumber, ETag }) => [PartNumber, hashIn(ETag)]))
  const sent = new Map(stored.map(({ PartNumber, Size }) => [PartNumber, Size]))
  const note = (piece: Piece, part: number) => {
    sent.set(piece.partNumber, part * (piece.to - piece.from))
    onProgress([...sent.values()].reduce((sum, size) => sum + size, 0) / sizeBytes)
  }
  const addressOf = async ({ partNumber }: Piece): Promise<string> =>
    urls[partNumber - 1] ?? (await env.api(uploaderApi.sign, { ...named, partNumber })).url
  const put = async (piece: Piece, stop: AbortSignal): Promise<void> => {
    const [url, bytes] = await Promise.all([addressOf(piece), bytesOf(piece)])
    etags.set(piece.partNumber, hashIn(await sendBytes(url, bytes, { signal: stop, onProgress: (part) => note(piece, part) })))
    note(piece, 1)
  }
  const missing = pieces.filter(({ partNumber }) => !etags.has(partNumber))
  if (isOnionOrigin()) await inLanes(ONION_AT_ONCE, missing, (piece) => put(piece, signal))
  else await atOnce(missing, put, signal)
  for (const piece of missing) if (!etags.has(piece.partNumber)) await put(piece, signal)
  signal.throwIfAborted()
  // A proxy may have removed the ETags.
  const isNamed = pieces.every(({ partNumber }) => etags.get(partNumber))
  const parts = isNamed
    ? pieces.map(({ partNumber }) => ({ PartNumber: partNumber, ETag: etags.get(partNumber) ?? '' }))
    : (await listed(env, named)).map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
  await env.api(uploaderApi.complete, { ...named, parts })
}

/** The others wait if the first part is slow: a broken line would lose them all. */
async function atOnce(
  [first, ...others]: Piece[],
  put: (piece: Piece, stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!first) return
  const slow = new AbortController()
  const timer = setTimeout(() => slow.abort(), AT_ONCE_MS)
  const stopOthers = () => slow.abort(signal.reason)
  signal.addEventListener('abort', stopOthers, { once: true })
  const whole = put(first, signal).then(() => clearTimeout(timer))
  const beside = others.map((piece) =>
    put(piece, slow.signal).catch((error: unknown) => {
      if (!slow.signal.aborted) throw error
    }),
  )
  const ends = await Promise.allSettled([whole, ...beside])
  signal.removeEventListener('abort', stopOthers)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** The SHA-256 in an ETag. */
const hashIn = (etag: string | null): string | undefined => /[0-9a-f]{64}/.exec(etag ?? '')?.[0]

/** Throws ApiError. */
export const askForParts = (env: Env) => env.api(uploaderApi.begin, {})

/** The server itself drops the object after a day. */
export async function dropAsked(env: Env, asked: Promise<{ key: string } | undefined>): Promise<void> {
  const object = await asked
  if (object) await dropObject(env, object.key).catch(passOverRefusal)
}

function passOverRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Does nothing for an object that a message carries. Throws ApiError. */
export async function dropObject(env: Env, objectId: string): Promise<void> {
  await env.api(filesApi.remove, { objectId }).catch((error: unknown) => {
    if (!(error instanceof ApiError && (error.status === 404 || error.code === 'file_in_use'))) throw error
  })
}
