import type { FileContent } from '../../contract/content.ts'
import { objectPath } from '../../contract/objects.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { receiveBytes } from '../net/transfer.ts'
import { openedStore } from './opened.ts'
import { PIXELS_MAX, pixelsOf } from './pixels.ts'
import { heldType, lookOf, nameOf } from './shown.ts'

/** Bytes of opened files that stay in memory. The browser may put them on its disk; they go with the page. */
const HELD_BYTES = 200 * 1024 * 1024
const AT_ONCE = 4

/** A file of a message, with the room whose keys it hangs on. */
export interface Held {
  chatRoomId: string
  file: FileContent
}

const opening = new Map<string, Promise<Blob>>()
let running = 0
const queue: (() => void)[] = []

/**
 * Opens a file: from this browser, or from the server; what comes from there stays in this browser unless `isKept` is false. Throws
 * ApiError or CryptoFailure.
 */
export function openHeld(env: Env, held: Held, { isKept = true } = {}): Promise<Blob> {
  const { object } = held.file
  const before = opening.get(object)
  if (before) return before
  const now = inLane(() => open(env, held, isKept)).finally(() => opening.delete(object))
  opening.set(object, now)
  return now
}

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    queue.shift()?.()
  }
}

async function open(env: Env, { chatRoomId, file }: Held, isKept: boolean): Promise<Blob> {
  const kept = await env.crypto.openFile({ chatRoomId, content: file })
  return kept ?? (await fetchFile(env, { chatRoomId, file }, isKept))
}

async function fetchFile(env: Env, { chatRoomId, file }: Held, isKept: boolean): Promise<Blob> {
  const note = (part: number | undefined) =>
    openedStore.setState(({ parts }) => {
      const { [file.object]: _, ...others } = parts
      return { parts: part === undefined ? others : { ...others, [file.object]: part } }
    })
  note(0)
  try {
    const sealed = await receiveSealed(file, note)
    const opened = await env.crypto.openFile({ chatRoomId, content: file, sealed, isKept })
    if (!opened) throw new Error('The file was opened to nothing')
    return opened
  } finally {
    note(undefined)
  }
}

/** Reads sealed bytes from the bucket where browsers reach it, or else from the server. Throws ApiError. */
async function receiveSealed({ object, storedBytes }: FileContent, onProgress: (part: number) => void): Promise<Blob> {
  const path = objectPath(object)
  try {
    return await receiveBytes(`${path}?from=bucket`, storedBytes, { onProgress })
  } catch (error) {
    // What the server refuses by 404 it refuses again.
    if (!(error instanceof ApiError) || error.status === 404) throw error
    return await receiveBytes(path, storedBytes, { onProgress })
  }
}

/**
 * Opens a file for a part of the page that shows it, and returns its address in memory. Throws ApiError, CryptoFailure, or RangeError for a
 * picture that would fill the memory.
 */
export async function showHeld(env: Env, held: Held): Promise<string> {
  const { object, mediaType } = held.file
  const known = openedStore.getState().urls.get(object)
  if (known) return known.url
  const bytes = await openHeld(env, held)
  if (lookOf(held.file) === 'picture') {
    const size = await pixelsOf(bytes)
    if (size && size.width * size.height > PIXELS_MAX)
      throw new RangeError('This picture is too large to be shown. It can be saved.')
  }
  const url = URL.createObjectURL(new Blob([bytes], { type: heldType(mediaType) }))
  const urls = new Map([...openedStore.getState().urls, [object, { chatRoomId: held.chatRoomId, url, sizeBytes: bytes.size }]])
  let sum = [...urls.values()].reduce((bytes, one) => bytes + one.sizeBytes, 0)
  for (const [oldest, one] of urls) {
    if (sum <= HELD_BYTES || oldest === object) break
    sum -= one.sizeBytes
    URL.revokeObjectURL(one.url)
    urls.delete(oldest)
  }
  openedStore.setState({ urls })
  return url
}

/** Saves a file under its real name. The browser opens nothing of it. */
export async function saveHeld(env: Env, held: Held): Promise<void> {
  const bytes = await openHeld(env, held)
  saveBlob(new Blob([bytes], { type: 'application/octet-stream' }), nameOf(held.file.name) || 'file')
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
