import { uploaderApi } from '../../contract/files.ts'
import { objectIdOf } from '../../contract/objects.ts'
import { REFUSALS } from '../../contract/refusals.ts'
import { CryptoFailure, isClosed, type UploadRow } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'
import { sendBytes } from '../net/transfer.ts'
import { inTurn } from '../net/turns.ts'
import { roomsStore } from '../rooms/list.ts'
import { showToast } from '../ui/toast.ts'
import { type Upload, uploadsIn, uploadsStore } from './memory.ts'

/** What the chats do when files of theirs go on. */
export interface Follower {
  /** Shows the chat's files that wait again. */
  show(chatRoomId: string): Promise<void>
  /** The messages of these files, with their names, are in the outbox now. */
  stored(chatRoomId: string, names: string[]): Promise<void>
  /** The plan allows no files. */
  refused(): void
}

/** Files that are sent at the same time, and how far one may be ahead of the first that is not there yet. */
const AT_ONCE = 3
const AHEAD = 8
/** Waits before a new attempt; after the last of them the next connection starts it. */
const RETRY_MS = [0, 1000, 3000, 5000]

type Name = Pick<UploadRow, 'chatRoomId' | 'id'>

const running = new Map<string, AbortController>()
let follower: Follower | undefined
let pageOf: Env | undefined

// The account was closed: another one has other files.
roomsStore.subscribe(({ rooms }) => void (rooms.size === 0 && uploadsStore.setState({ uploads: [] })))
uploadsStore.subscribe(({ uploads }) => {
  const ids = new Set(uploads.map(({ id }) => id))
  for (const [id, abort] of running) if (!ids.has(id)) abort.abort(stopped())
})
connectionStore.subscribe(({ phase }, before) => {
  if (phase === 'open' && before.phase !== 'open' && pageOf) wake(pageOf)
})

const stopped = () => new DOMException('The file was stopped', 'AbortError')

/** Takes the files that wait in this browser up again, after a start or once a chat is open. */
export async function resumeUploads(env: Env, rows: UploadRow[], chats: Follower): Promise<void> {
  follow(env, chats)
  const known = new Set(uploadsStore.getState().uploads.map(({ id }) => id))
  const more = rows.filter(({ id }) => !known.has(id))
  for (const row of more) add(row)
  await Promise.all([...new Set(more.map(({ chatRoomId }) => chatRoomId))].map((id) => chats.show(id)))
  for (const chatRoomId of new Set(rows.map((row) => row.chatRoomId))) await settle(env, chatRoomId)
  wake(env)
}

/** Sends a file that was just kept. */
export async function startUpload(env: Env, row: UploadRow, chats: Follower): Promise<void> {
  follow(env, chats)
  add(row)
  await chats.show(row.chatRoomId)
  next(env)
}

function follow(env: Env, chats: Follower): void {
  pageOf = env
  follower = chats
}

const add = (row: UploadRow) =>
  uploadsStore.setState(({ uploads }) => ({
    uploads: [...uploads, { ...row, state: 'queued', reason: null, part: 0, line: lineOf(row) }],
  }))

const lineOf = ({ id, chatRoomId, sentAt, content }: UploadRow): Upload['line'] => {
  const body = { kind: 'file' as const, file: { ...content, object: '' }, text: content.caption, chatRoomId }
  return { id, seq: null, at: sentAt, isMine: true, status: 'sending', reason: null, body, isOutOfPlace: false }
}

const change = (id: string, to: Partial<Upload>) =>
  uploadsStore.setState(({ uploads }) => ({ uploads: uploads.map((one) => (one.id === id ? { ...one, ...to } : one)) }))

const find = (id: string) => uploadsStore.getState().uploads.find((one) => one.id === id)

/** Lets files that wait for a connection go on. */
function wake(env: Env): void {
  for (const { id, state } of uploadsStore.getState().uploads)
    if (state === 'waiting') change(id, { state: 'queued', reason: null })
  next(env)
}

const isActive = ({ isPaused, failure }: Upload) => !isPaused && failure === null

function next(env: Env): void {
  const { uploads } = uploadsStore.getState()
  const due = uploads.filter((one) => {
    const before = uploadsIn(one.chatRoomId).filter(isActive)
    return isActive(one) && one.state === 'queued' && one.object === null && before.indexOf(one) < AHEAD
  })
  for (const { id, chatRoomId } of due) if (running.size < AT_ONCE && !running.has(id)) void run(env, { id, chatRoomId })
}

async function run(env: Env, name: Name): Promise<void> {
  const abort = new AbortController()
  running.set(name.id, abort)
  try {
    // Where two tabs have the same file, one sends it.
    await alone(name.id, () => send(env, name, abort.signal))
  } catch (error) {
    if (!abort.signal.aborted && !isClosed(error)) await failed(env, name, error)
  } finally {
    running.delete(name.id)
    next(env)
  }
}

async function alone(id: string, work: () => Promise<void>): Promise<void> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work()
  await navigator.locks.request(`conclave/upload/${id}`, { ifAvailable: true }, async (lock) => {
    if (lock) await work()
    else change(id, { state: 'waiting', reason: 'Another tab sends it.' })
  })
}

async function send(env: Env, name: Name, signal: AbortSignal): Promise<void> {
  const { id } = name
  const bytes = await env.crypto.uploadBytes(name)
  for (let attempt = 0; ; attempt++) {
    change(id, { state: 'uploading', part: 0 })
    try {
      const { url } = await env.api(uploaderApi.params, {})
      const object = objectIdOf(url)
      if (object === undefined) throw new ApiError(200, 'unreadable_answer', 'Cannot upload to an undefined URL')
      await sendBytes(url, bytes, { signal, onProgress: (part) => change(id, { part }) })
      await env.crypto.changeUpload({ ...name, change: { object } })
      change(id, { object, state: 'stored', part: 1 })
      return await settle(env, name.chatRoomId)
    } catch (error) {
      const waitMs = RETRY_MS[attempt]
      if (waitMs === undefined || !isPassing(error) || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      signal.throwIfAborted()
    }
  }
}

/** True if the next attempt may succeed: an address that has expired is one such, and so is a server that is away or busy. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || error.status === 409 || error.status >= 500 || error.message === 'Request has expired')

async function failed(env: Env, name: Name, error: unknown): Promise<void> {
  if (!(error instanceof ApiError || error instanceof CryptoFailure)) throw error
  if (error instanceof ApiError) {
    if (error.status === 401) return change(name.id, { state: 'waiting', reason: 'It goes on when you are signed in again.' })
    if (error.status === 0) return change(name.id, { state: 'waiting', reason: 'It goes on when the connection is back.' })
    if (error.status === 429 || error.status >= 500) {
      change(name.id, { state: 'waiting', reason: `${error.message}. It is tried again.` })
      setTimeout(() => wake(env), (error.retryAfterSeconds ?? 5) * 1000)
      return
    }
  }
  const failure = error.message
  change(name.id, { state: 'queued', failure })
  await env.crypto.changeUpload({ ...name, change: { failure } })
  if (error instanceof ApiError && error.code === 'subscription_required') return follower?.refused()
  const isFull = failure === REFUSALS.storage_limit_reached.text
  showToast({ tone: 'bad', title: 'Upload Failed', text: isFull ? failure : 'Failed to upload file. Please try again.' })
}

/** Hands files that the server has to the outbox, in the order in which they were chosen. */
const settle = (env: Env, chatRoomId: string): Promise<void> =>
  inTurn(env, `uploads ${chatRoomId}`, async () => {
    const names: string[] = []
    for (const { id, object, content } of uploadsIn(chatRoomId).filter(isActive)) {
      if (object === null) break
      await env.crypto.uploadDone({ chatRoomId, id, object })
      remove(id)
      names.push(content.name)
    }
    if (names.length > 0) await follower?.stored(chatRoomId, names)
  })

const remove = (id: string) => uploadsStore.setState(({ uploads }) => ({ uploads: uploads.filter((one) => one.id !== id) }))

/** Stops a file until the person lets it go on. */
export async function pauseUpload(env: Env, name: Name): Promise<void> {
  change(name.id, { isPaused: true, state: 'queued', part: 0 })
  running.get(name.id)?.abort(stopped())
  await env.crypto.changeUpload({ ...name, change: { isPaused: true } })
  await settle(env, name.chatRoomId)
}

/** Lets a file go on that was paused, or that has failed. */
export async function resumeUpload(env: Env, name: Name): Promise<void> {
  const on = { isPaused: false, failure: null }
  await env.crypto.changeUpload({ ...name, change: on })
  change(name.id, { ...on, state: 'queued', reason: null })
  await settle(env, name.chatRoomId)
  next(env)
}

/** Gives a file up. What the server has of it, it deletes after a day. */
export async function cancelUpload(env: Env, name: Name): Promise<void> {
  if (!find(name.id)) return
  await env.crypto.dropUpload(name)
  remove(name.id)
  await follower?.show(name.chatRoomId)
  await settle(env, name.chatRoomId)
}
