import type { FileContent } from '../../../contract/chat/content.ts'
import { objectPath } from '../../../contract/chat/objects.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { proveAgain } from '../../me/account/proveSession.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { patience } from '../../net/patience.ts'
import { receiveBytes } from '../../net/transfer.ts'
import { heldType } from './fileWords.ts'
import { type Held, openedStore } from './openedFiles.ts'

/** Interval of progress updates. */
const NOTED_MS = 50

/** Throws ApiError, CryptoFailure, or the reason of `signal`. */
export async function openOnce(env: Env, { chatRoomId, file }: Held, isKept: boolean, signal: AbortSignal): Promise<Blob> {
  signal.throwIfAborted()
  const kept = await env.crypto.openFile({ chatRoomId, content: file, type: heldType(file.mediaType) })
  signal.throwIfAborted()
  const opened = kept ?? (await fetchFile(env, { chatRoomId, file }, isKept, signal))
  signal.throwIfAborted()
  return opened
}

/** The most requests for one file: a server that sends a byte to each is not asked for each byte. */
const mostRequests = (storedBytes: number): number => 20 + storedBytes / 65_536

/** The worker decrypts during the download. */
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
    await receiveSealed(env, file, signal, (piece) => {
      if (isOver) return false
      arrived += piece.length
      env.crypto.handIn(arrival, piece).catch(end)
      const now = performance.now()
      if (now - notedAt < NOTED_MS) return true
      notedAt = now
      note(arrived / storedBytes)
      return true
    })
    // The worker refuses an incomplete file by name.
    await env.crypto.handIn(arrival)
    const opened = await opening
    if (!opened) throw new Error('The file was opened to nothing')
    return opened
  } catch (error) {
    env.crypto.handIn(arrival).catch(end)
    // The signal's reason explains more than the request's error.
    signal.throwIfAborted()
    throw error
  } finally {
    note(undefined)
  }
}

/**
 * Reads from the bucket if reachable; the server continues a broken download, as long as each request brings something. Throws
 * ApiError.
 */
async function receiveSealed(
  env: Env,
  { object, storedBytes }: FileContent,
  signal: AbortSignal,
  take: (piece: Bytes) => boolean,
): Promise<void> {
  let from = 0
  const takeNext = (piece: Bytes) => {
    from += piece.length
    return take(piece)
  }
  let [asked, empty] = [0, 0]
  for (;;) {
    const before = from
    const isFirst = asked === 0
    asked += 1
    try {
      return await receiveBytes(objectPath(object) + (isFirst ? '?from=bucket' : ''), {
        sizeBytes: storedBytes,
        from,
        signal,
        take: takeNext,
      })
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError) || !mayGoOn(error, isFirst)) throw error
      if (isRefused(error, 'device_required')) await proveAgain(env)
      // No valid range begins after the last byte.
      if (from >= storedBytes) return
      if (from > before) empty = 0
      else if (!isFirst) empty += 1
      if (empty >= patience().emptyTries || asked >= mostRequests(storedBytes)) throw error
      if (empty > 0) await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** empty))
      signal.throwIfAborted()
    }
  }
}

/** The server may answer where the bucket refused, but not 404. */
const mayGoOn = ({ status }: ApiError, isFirst: boolean): boolean => (isFirst ? status !== 404 : status === 0 || status >= 500)
