import { REFUSALS } from '../../../contract/ground/refusals.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { isShut, roomsStore } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'
import { CryptoFailure, isClosed, type UploadRow } from '../../worker/crypto.ts'
import { type Follower, follow, follower, forgetSent, isActive, settle } from './fileFollower.ts'
import { dropObject } from './putFile.ts'
import { reasonToWait, sendUpload } from './retryUpload.ts'
import { type Early, tellTabs, uploadsIn, uploadsStore } from './uploadsState.ts'
import { add, change, find, inRows, type Name, note, remove, stopped } from './waitingFile.ts'

/** Simultaneous files, and the maximum lead over the first unfinished file. */
const AT_ONCE = 3
const AHEAD = 8
const AGAIN_MS = 5000

/** `running` includes files left to another tab. */
const running = new Map<string, AbortController>()
const elsewhere = new Set<string>()
let pageOf: Env | undefined

// A closed account or a locked chat stops the files.
roomsStore.subscribe(({ rooms }) => {
  const { uploads } = uploadsStore.getState()
  const left = rooms.size === 0 ? [] : uploads.filter(({ chatRoomId }) => !isShut({ id: chatRoomId }))
  if (left.length === uploads.length) return
  uploadsStore.setState({ uploads: left })
  forgetSent()
})
uploadsStore.subscribe(({ uploads }) => {
  const ids = new Set(uploads.map(({ id }) => id))
  for (const [id, abort] of running) if (!ids.has(id)) abort.abort(stopped())
})
connectionStore.subscribe(({ phase }, before) => {
  if (phase === 'open' && before.phase !== 'open' && pageOf) wake(pageOf)
})

/** Runs after a start, an opened chat and a change in another tab. */
export async function refreshUploads(env: Env, chats: Follower): Promise<void> {
  pageOf = env
  follow(chats)
  const [rows, gone] = await inRows(env, async () => {
    const rows = await env.crypto.uploads()
    const waiting = new Map(rows.filter(({ isCancelled }) => !isCancelled).map((row) => [row.id, row]))
    const gone = uploadsStore.getState().uploads.filter(({ id }) => !waiting.has(id))
    for (const { id } of gone) remove(id)
    for (const row of waiting.values()) if (!add(row)) takeOver(row)
    return [rows, gone]
  })
  await Promise.all([...new Set(rows.map(({ chatRoomId }) => chatRoomId))].map((id) => chats.show(id)))
  // Another tab may have ended before sending the messages.
  await Promise.all([...new Set(gone.map(({ chatRoomId }) => chatRoomId))].map((id) => chats.stored(id, [])))
  const stopped = new Set(rows.filter((row) => !isActive(row)).map(({ chatRoomId }) => chatRoomId))
  for (const chatRoomId of new Set(rows.map((row) => row.chatRoomId))) await settle(env, chatRoomId, stopped.has(chatRoomId))
  next(env)
  for (const row of rows) if (row.isCancelled) await withdraw(env, row)
}

function takeOver({ id, begun, object, isPaused, failure, isLost }: UploadRow): void {
  change(id, { begun, object, isPaused, failure, isLost, ...(object !== null && { state: 'stored' }) })
  if (isPaused || failure !== null) stop(id)
}

function stop(id: string): void {
  running.get(id)?.abort(stopped())
  change(id, { state: 'queued', part: 0 })
}

/** `chats` defaults to the last follower. */
export async function startUpload(env: Env, row: UploadRow, chats = follower(), early?: Early): Promise<void> {
  pageOf = env
  follow(chats)
  add(row, early)
  // The tab with the lock sends the file, so this tab asks first.
  next(env)
  tellTabs()
  await chats.show(row.chatRoomId)
}

function wake(env: Env): void {
  for (const { id, state } of uploadsStore.getState().uploads)
    if (state === 'waiting' && !elsewhere.has(id)) change(id, { state: 'queued', reason: null })
  next(env)
}

function next(env: Env): void {
  const { uploads } = uploadsStore.getState()
  const due = uploads.filter((one) => {
    const before = uploadsIn(one.chatRoomId).filter(isActive)
    // The first waits for the last of its album, however far behind.
    const first = before[0]?.content.album?.id
    const isNear = before.indexOf(one) < AHEAD || (first !== undefined && one.content.album?.id === first)
    return isActive(one) && one.state === 'queued' && one.object === null && isNear
  })
  for (const { id, chatRoomId } of due)
    if (running.size - elsewhere.size < AT_ONCE && !running.has(id)) void run(env, { id, chatRoomId })
}

async function run(env: Env, name: Name): Promise<void> {
  const abort = new AbortController()
  running.set(name.id, abort)
  try {
    await alone(env, name, abort.signal)
  } catch (error) {
    if (!abort.signal.aborted && !isClosed(error)) await failed(env, name, error)
  } finally {
    running.delete(name.id)
    next(env)
  }
}

/** The second tab with the same file continues after the first. */
async function alone(env: Env, { chatRoomId, id }: Name, signal: AbortSignal): Promise<void> {
  const work = async () => {
    await sendUpload(env, { chatRoomId, id }, signal)
    await settle(env, chatRoomId)
  }
  if (typeof navigator === 'undefined' || !navigator.locks) return work()
  const lock = `conclave/upload/${id}`
  const isOurs = await navigator.locks.request(lock, { ifAvailable: true }, async (held) => {
    if (held) await work()
    return held !== null
  })
  if (isOurs) return
  void find(id)?.early?.giveUp()
  change(id, { early: undefined, state: 'waiting', reason: 'Another tab sends it.' })
  elsewhere.add(id)
  next(env)
  try {
    await navigator.locks.request(lock, { signal }, async () => undefined)
  } finally {
    elsewhere.delete(id)
  }
  change(id, { state: 'queued', reason: null })
  await refreshUploads(env, follower())
}

async function failed(env: Env, name: Name, error: unknown): Promise<void> {
  if (!(error instanceof ApiError || error instanceof CryptoFailure)) throw error
  const reason = error instanceof ApiError ? reasonToWait(error) : undefined
  if (reason !== undefined) {
    change(name.id, { state: 'waiting', reason })
    // An open connection starts no attempt by itself, so a timer does.
    const waitMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 || AGAIN_MS : AGAIN_MS
    if (connectionStore.getState().phase === 'open') setTimeout(() => wake(env), waitMs)
    return
  }
  const isLost = error instanceof CryptoFailure && error.code === 'file_absent'
  const named = `“${find(name.id)?.content.name}” is not kept in this browser any more. Choose it again`
  const failure = isLost ? named : error.message
  await note(env, name, { failure, isLost })
  change(name.id, { state: 'queued' })
  tellTabs()
  const isSaid = isLost || failure === REFUSALS.storage_limit_reached.text
  if (error instanceof ApiError && error.code === 'subscription_required') follower().refused()
  else showToast({ tone: 'bad', title: 'Upload Failed', text: isSaid ? failure : 'Failed to upload file. Please try again.' })
  // The next files need not wait any more.
  await settle(env, name.chatRoomId, true)
}

export async function pauseUpload(env: Env, name: Name): Promise<void> {
  await note(env, name, { isPaused: true })
  stop(name.id)
  tellTabs()
  await settle(env, name.chatRoomId, true)
}

export async function resumeUpload(env: Env, name: Name): Promise<void> {
  await note(env, name, { isPaused: false, failure: null, isLost: false })
  change(name.id, { state: 'queued', reason: null })
  tellTabs()
  await settle(env, name.chatRoomId)
  next(env)
}

/** Drops the server's bytes at once or at the next connection. */
export async function cancelUpload(env: Env, name: Name, chats = follower()): Promise<void> {
  follow(chats)
  const row = await inRows(env, async () => {
    const cancelled = await env.crypto.changeUpload({ ...nameOf(name), change: { isCancelled: true } })
    remove(name.id)
    return cancelled
  })
  tellTabs()
  await chats.show(name.chatRoomId)
  await settle(env, name.chatRoomId, true)
  if (row) await withdraw(env, row)
}

const nameOf = ({ chatRoomId, id }: Name): Name => ({ chatRoomId, id })

async function withdraw(env: Env, row: UploadRow): Promise<void> {
  const object = row.object ?? row.begun?.object
  try {
    if (object !== undefined) await dropObject(env, object)
  } catch (error) {
    // The next start tries again; the server drops the bytes after a day.
    if (error instanceof ApiError) return
    throw error
  }
  await env.crypto.changeUpload({ ...nameOf(row), change: null })
}
