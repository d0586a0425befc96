import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { sendBytes } from '../../net/transfer.ts'
import type { UploadRow } from '../../worker/crypto.ts'

/** An object that the server was asked for. */
export type Begun = NonNullable<UploadRow['begun']>

interface Putting {
  signal: AbortSignal
  /** Receives the part that the server has, from 0 to 1. */
  onProgress: (part: number) => void
  /** Is told of a new object before any of its bytes go out. Throws if they must not. */
  onBegun: (begun: Begun) => Promise<void>
}

export const PART_BYTES = LIMITS.uploadPartMinBytes
/** Time in which the first part must be there for others to go out beside it. */
export const AT_ONCE_MS = 500
/** A rest that is not worth a part of its own. */
const SHORT_BYTES = PART_BYTES / 10

/**
 * Sends sealed bytes to the server, and returns the id of their object. A `begun` object that is whole already, because only the answer was
 * lost, is not sent again. What is larger than a part goes in parts: of a `begun` object only those go out that the server does not have.
 * What is smaller begins anew, and goes to the bucket where browsers reach it. Throws ApiError, or the signal's reason.
 */
export async function putFile(env: Env, bytes: Blob, begun: Begun | null, putting: Putting): Promise<string> {
  if (begun && (await isStored(env, begun))) return begun.object
  return await (isInParts(bytes.size) ? putParts : putWhole)(env, bytes, begun, putting)
}

/** Asks the server whether it has the whole object. Throws ApiError. */
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
  // What came of it would take the space of another file for a day.
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
    // A bucket that is out of reach, or not set up for pages, keeps no file from going.
    if (!(error instanceof ApiError)) throw error
    await sendBytes(otherwise, bytes, watching)
  }
  return key
}

/** True if so many bytes go in parts. */
export const isInParts = (sizeBytes: number): boolean => sizeBytes > PART_BYTES

export interface Piece {
  partNumber: number
  from: number
  to: number
}

/** The parts of so many bytes: of 5 MiB each, but a short rest goes with the last one. */
function piecesOf(sizeBytes: number): Piece[] {
  const count = Math.max(1, Math.ceil((sizeBytes - SHORT_BYTES) / PART_BYTES))
  const endOf = (at: number) => (at === count ? sizeBytes : at * PART_BYTES)
  return Array.from({ length: count }, (_, at) => ({ partNumber: at + 1, from: at * PART_BYTES, to: endOf(at + 1) }))
}

type Stored = Awaited<ReturnType<typeof listed>>
const listed = (env: Env, upload: { key: string; uploadId: string }) => env.api(uploaderApi.parts, upload)

async function putParts(env: Env, bytes: Blob, before: Begun | null, putting: Putting): Promise<string> {
  const pieces = piecesOf(bytes.size)
  const known = before?.uploadId ? { key: before.object, uploadId: before.uploadId } : undefined
  const stored = known ? await listed(env, known) : []
  // Another build has cut it otherwise.
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
  /** The addresses that are known of the first parts. */
  urls: string[]
}

/** Sends the parts that the server does not have, and has it make one file of all. */
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
  await atOnce(missing, put, signal)
  for (const piece of missing) if (!etags.has(piece.partNumber)) await put(piece, signal)
  signal.throwIfAborted()
  // A proxy on the way may have taken the ETags off the answers.
  const isNamed = pieces.every(({ partNumber }) => etags.get(partNumber))
  const parts = isNamed
    ? pieces.map(({ partNumber }) => ({ PartNumber: partNumber, ETag: etags.get(partNumber) ?? '' }))
    : (await listed(env, named)).map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
  await env.api(uploaderApi.complete, { ...named, parts })
}

/**
 * Sends parts at once. If the first is not there soon, the line is slow, and those beside it are stopped: it would lose them all where it
 * breaks.
 */
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

/** Asks the server for an object that comes in parts. Throws ApiError. */
export const askForParts = (env: Env) => env.api(uploaderApi.begin, {})

/** Drops what the server was asked for and nothing has come of. Where that fails the server drops it by itself after a day. */
export async function dropAsked(env: Env, asked: Promise<{ key: string } | undefined>): Promise<void> {
  const object = await asked
  if (object) await dropObject(env, object.key).catch(passOverRefusal)
}

function passOverRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Drops an object, whole or in parts, that no message carries; nothing if there is none, or one does. Throws ApiError. */
export async function dropObject(env: Env, objectId: string): Promise<void> {
  await env.api(filesApi.remove, { objectId }).catch((error: unknown) => {
    if (!(error instanceof ApiError && (error.status === 404 || error.code === 'file_in_use'))) throw error
  })
}
