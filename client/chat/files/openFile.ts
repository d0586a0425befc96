import type { Env } from '../../env.ts'
import { isShowable } from '../../me/photo/pixels.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { openOnce } from './fetchFile.ts'
import { lookOf, nameOf } from './fileWords.ts'
import { type Held, isShutAway, type Opened, openedStore } from './openedFiles.ts'

/** Beyond it the oldest opened files go that nobody looks at; the browser may move those in memory to disk. */
const HELD_BYTES = 200 * 1024 * 1024
const AT_ONCE = 4

interface Opening {
  chatRoomId: string
  stop: AbortController
  file: Promise<Blob>
}

const opening = new Map<string, Opening>()
const closed = () => new CryptoFailure('closed', 'The chat was locked, or the account closed, before the file was open')

// A closed account or locked chat gets no more files.
roomsStore.subscribe(() => {
  for (const [object, one] of opening) {
    if (!isShutAway(one.chatRoomId)) continue
    forget(object, one)
    one.stop.abort(closed())
  }
})

let running = 0
const queue: (() => void)[] = []

/**
 * Opens a file under its `heldType`, from this browser or the server. `isKept` false stores nothing. Callers share one opening.
 * Throws ApiError or CryptoFailure.
 */
export function openHeld(env: Env, held: Held, { isKept = true } = {}): Promise<Blob> {
  const {
    chatRoomId,
    file: { object },
  } = held
  const before = opening.get(object)
  if (before) return before.file
  const stop = new AbortController()
  const now = { chatRoomId, stop, file: inLane(() => readHeld(env, held, isKept, stop.signal)) }
  opening.set(object, now)
  const end = () => forget(object, now)
  now.file.then(end, end)
  return now.file
}

async function readHeld(env: Env, held: Held, isKept: boolean, signal: AbortSignal): Promise<Blob> {
  if (!held.read) return openOnce(env, held, isKept, signal)
  const bytes = await held.read(env)
  signal.throwIfAborted()
  return bytes
}

function forget(object: string, one: Opening): void {
  if (opening.get(object) === one) opening.delete(object)
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

/** How many parts of the page show a file. */
const shown = new Map<string, number>()

/** What is shown stays open until the returned function is called: it would be fetched again at once. */
export function keepOpen({ file: { object } }: Held): () => void {
  shown.set(object, (shown.get(object) ?? 0) + 1)
  return () => {
    const left = (shown.get(object) ?? 1) - 1
    if (left > 0) return void shown.set(object, left)
    shown.delete(object)
    openedStore.setState(({ urls }) => ({ urls: bounded(urls) }))
  }
}

/** Drops the oldest that nobody looks at. */
function bounded(opened: ReadonlyMap<string, Opened>, newest?: string): ReadonlyMap<string, Opened> {
  const urls = new Map(opened)
  let sum = [...urls.values()].reduce((bytes, one) => bytes + one.sizeBytes, 0)
  for (const [oldest, one] of opened) {
    if (sum <= HELD_BYTES || oldest === newest) break
    if (shown.has(oldest)) continue
    sum -= one.sizeBytes
    URL.revokeObjectURL(one.url)
    urls.delete(oldest)
  }
  return urls.size < opened.size ? urls : opened
}

/** Returns an object URL. Throws ApiError, CryptoFailure, or RangeError for a picture that is not shown. */
export async function showHeld(env: Env, held: Held): Promise<string> {
  const { object } = held.file
  const known = () => openedStore.getState().urls.get(object)?.url
  const before = known()
  if (before) return before
  const bytes = await openHeld(env, held)
  if (lookOf(held.file) === 'picture' && !(await isShowable(bytes)))
    throw new RangeError('It is too large to be shown, or of a kind that is not known here. It can be saved.')
  // Callers share one opening.
  const other = known()
  if (other) return other
  const url = URL.createObjectURL(bytes)
  const opened = { chatRoomId: held.chatRoomId, url, sizeBytes: bytes.size }
  openedStore.setState(({ urls }) => ({ urls: bounded(new Map([...urls, [object, opened]]), object) }))
  return url
}

/** Saves the file under a type that no browser opens. */
export async function saveHeld(env: Env, held: Held): Promise<void> {
  const bytes = await openHeld(env, held)
  const type = 'application/octet-stream'
  // A Blob made of another Blob waits for the process that has the bytes.
  saveBlob(bytes.type === type ? bytes : new Blob([bytes], { type }), nameOf(held.file.name) || 'file')
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
