import type { FileContent } from '../../../contract/chat/content.ts'
import { objectPath } from '../../../contract/chat/objects.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { receiveBytes } from '../../net/transfer.ts'
import { heldType } from './fileWords.ts'
import { type Held, openedStore } from './openedFiles.ts'

/** How often the page shows how much of a file has come. */
const NOTED_MS = 50

/** Opens a file from this browser or else from the server. Throws ApiError, CryptoFailure, or the reason of `signal`. */
export async function openOnce(env: Env, { chatRoomId, file }: Held, isKept: boolean, signal: AbortSignal): Promise<Blob> {
  signal.throwIfAborted()
  const kept = await env.crypto.openFile({ chatRoomId, content: file, type: heldType(file.mediaType) })
  signal.throwIfAborted()
  const opened = kept ?? (await fetchFile(env, { chatRoomId, file }, isKept, signal))
  signal.throwIfAborted()
  return opened
}

/** Fetches a file; the worker opens it meanwhile. */
async function fetchFile(env: Env, { chatRoomId, file }: Held, isKept: boolean, signal: AbortSignal): Promise<Blob> {
  const { object, storedBytes } = file
  const arrival = crypto.randomUUID()
  const note = (part: number | undefined) =>
    openedStore.setState(({ parts }) => {
      const { [object]: _, ...others } = parts
      return { parts: part === undefined ? others : { ...others, [object]: part } }
    })
  let arrived = 0
  note(0)
  const opening = env.crypto.openFile({ chatRoomId, content: file, arrival, isKept, type: heldType(file.mediaType) })
  let isOver = false
  const end = () => {
    isOver = true
  }
  opening.then(end, end)
  let notedAt = performance.now()
  try {
    await receiveSealed(file, signal, (piece) => {
      if (isOver) return false
      arrived += piece.length
      env.crypto.handIn(arrival, piece).catch(end)
      const now = performance.now()
      if (now - notedAt < NOTED_MS) return true
      notedAt = now
      note(arrived / storedBytes)
      return true
    })
    // What has not come whole is refused by name.
    await env.crypto.handIn(arrival)
    const opened = await opening
    if (!opened) throw new Error('The file was opened to nothing')
    return opened
  } catch (error) {
    env.crypto.handIn(arrival).catch(end)
    // Why it was given up, and not what that did to the request.
    signal.throwIfAborted()
    throw error
  } finally {
    note(undefined)
  }
}

/**
 * Reads sealed bytes from the bucket where browsers reach it, or else from the server, which goes on where the bucket broke off. Throws
 * ApiError.
 */
async function receiveSealed(
  { object, storedBytes }: FileContent,
  signal: AbortSignal,
  take: (piece: Bytes) => boolean,
): Promise<void> {
  const path = objectPath(object)
  let from = 0
  const receiving = () => ({
    sizeBytes: storedBytes,
    from,
    signal,
    take(piece: Bytes) {
      from += piece.length
      return take(piece)
    },
  })
  try {
    await receiveBytes(`${path}?from=bucket`, receiving())
  } catch (error) {
    // What the server refuses by 404 it refuses again.
    if (signal.aborted || !(error instanceof ApiError) || error.status === 404) throw error
    // The line broke behind the last byte: a range that begins there is none.
    if (from >= storedBytes) return
    await receiveBytes(path, receiving())
  }
}
