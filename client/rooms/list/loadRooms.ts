import type { z } from 'zod'
import type { Contact } from '../../../contract/chat/contacts.ts'
import type { ListedRoom, RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { type ChatLocks, CryptoFailure, type KnownAccount } from '../../worker/crypto.ts'
import { type Person, personById, putPeople } from '../trust/people.ts'
import { knownOf, shownOf } from '../trust/verified.ts'
import { type RoomOfRow, roomOfContact, roomOfRow } from './listedRoom.ts'
import {
  changedBetween,
  isShutRow,
  putRooms,
  type RoomRow,
  roomById,
  roomsStore,
  setAnswered,
  setBehind,
  setUnanswered,
} from './roomList.ts'
import { lockOf, passwordsOf, shutHere, withLock } from './roomLocks.ts'
import { allUpdates, updatesOf } from './rowUpdates.ts'
import { keepDrafts } from './unkeptDrafts.ts'

/** Requests while messages keep arriving. */
const LIST_TRIES = 5

/** Removed unless the whole list has them. */
let unlisted = new Set<string>()

type OnRows = (rows: RoomRow[]) => void
const nothing: OnRows = () => undefined

/** Reads the changes since the last answer, or the whole list if there was none. Keeps this browser's own knowledge. */
export const refreshRooms = (env: Env, onRows: OnRows = nothing): Promise<RoomRow[]> =>
  inTurn(env, 'list', async () => {
    const ids = [...changedBetween]
    changedBetween.clear()
    try {
      const { counter } = roomsStore.getState()
      if (counter === null || !(await readChanges(env, counter, onRows))) await readAnew(env, onRows)
      else await askRows(env, ids)
      roomsStore.setState({ status: 'ready' })
      return [...roomsStore.getState().rooms.values()]
    } catch (error) {
      for (const id of ids) changedBetween.add(id)
      if (error instanceof ApiError && roomsStore.getState().status === 'loading') {
        setAnswered(unlisted)
        roomsStore.setState({ status: 'failed' })
      }
      throw error
    }
  })

export function reloadRooms(env: Env): Promise<RoomRow[]> {
  roomsStore.setState({ counter: null })
  return refreshRooms(env)
}

/** Removes the rooms that the list no longer has. */
export const fetchRooms = (env: Env, ids: readonly string[]): Promise<void> =>
  inTurn(env, 'list', async () => {
    for (const id of ids) changedBetween.add(id)
    await askRows(env, ids)
  })

async function askRows(env: Env, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += LIMITS.roomIdsMax)
    await putAnswer(env, { ids: ids.slice(from, from + LIMITS.roomIdsMax).join() })
}

/** The first page is short, to show rows soon. Its counter yields the changes since. */
async function readAnew(env: Env, onRows: OnRows): Promise<void> {
  unlisted = new Set(roomsStore.getState().rooms.keys())
  const listed = new Set<string>()
  const note = ({ rooms }: RoomPage) => {
    for (const { chatRoomId } of rooms) listed.add(chatRoomId)
  }
  for (let attempt = 1; ; attempt++) {
    const first = await putAnswer(env, {}, onRows)
    note(first)
    roomsStore.setState({ status: 'ready' })
    for (let page = first; page.before !== null; note(page))
      page = await putAnswer(env, { before: page.before, limit: LIMITS.roomPageMax }, onRows)
    const { before: second, counter } = first
    // One page is one snapshot.
    if (second === null && counter !== null) roomsStore.setState({ counter })
    else if (!(await readChanges(env, counter ?? '0', onRows, note)) && attempt < LIST_TRIES) continue
    break
  }
  const isGone = (id: string) => !listed.has(id)
  setAnswered(unlisted)
  putRooms([], [...unlisted].filter(isGone))
}

async function readChanges(
  env: Env,
  since: string,
  onRows: OnRows,
  note: (answer: RoomPage) => void = () => undefined,
): Promise<boolean> {
  for (let counter = since; ; ) {
    try {
      const answer = await putAnswer(env, { since: counter, limit: LIMITS.roomPageMax }, onRows)
      note(answer)
      counter = answer.counter ?? counter
      if (answer.more) continue
      roomsStore.setState({ counter })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) return false
      throw error
    }
  }
}

/** Stores the rows of an answer, but asks again for what a frame has changed since. */
async function putAnswer(env: Env, asked: z.input<typeof roomsApi.list.input>, onRows: OnRows = nothing): Promise<RoomPage> {
  const { session } = roomsStore.getState()
  const ask = (input: typeof asked) => Promise.all([allUpdates(), env.api(roomsApi.list, input)])
  const ownId = await env.crypto.ownId()
  let [before, page] = await ask(asked)
  const answer = page
  const late: string[] = []
  for (let attempt = 1; ; attempt++) {
    const isCurrent = (id: string) => (before.get(id) ?? 0) === updatesOf(id)
    const listed = page.rooms.map((row) => roomOfRow(ownId, row))
    const rows = await readRows(env, listed, true)
    if (roomsStore.getState().session !== session) throw new CryptoFailure('closed', 'The account is closed')
    const current = rows.filter(({ room }) => isCurrent(room.id))
    setAnswered(current.map(({ room }) => room.id))
    onRows(putRows(current))
    putRooms([], page.removed.filter(isCurrent))
    late.push(...[...rows.map(({ room }) => room.id), ...page.removed].filter((id) => !isCurrent(id)))
    if (late.length === 0 || attempt === LIST_TRIES) return answer
    ;[before, page] = await ask({ ids: late.splice(0, LIMITS.roomIdsMax).join() })
  }
}

export const keepRooms = async (env: Env, contacts: Contact[]): Promise<RoomRow[]> =>
  putRows(await readRows(env, contacts.map(roomOfContact), true))

/** Does nothing after the server's answer, for which what does not fit waits. */
export async function showRows(env: Env, listed: ListedRoom[], isAway: boolean): Promise<RoomRow[]> {
  const { session } = roomsStore.getState()
  const ownId = await env.crypto.ownId()
  const read = await readRows(
    env,
    listed.map((row) => roomOfRow(ownId, row)),
  )
  const now = roomsStore.getState()
  if (now.session !== session || now.rooms.size > 0 || now.status === 'ready') return []
  const rows = read.filter(({ people }) => isAway || people.every(({ mismatch }) => mismatch === null))
  for (const { room } of rows) unlisted.add(room.id)
  if (!isAway && now.status === 'loading') setUnanswered(rows.map(({ room }) => room.id))
  const rooms = putRows(rows)
  if (isAway) roomsStore.setState({ status: 'ready' })
  return rooms
}

/** `isAnswered`: by the server, not by kept rows. */
async function readRows(env: Env, rows: RoomOfRow[], isAnswered = false): Promise<RoomOfRow[]> {
  const listed = rows.flatMap(({ room, people }) =>
    people.map((person) => ({ ...person, ...(room.direct && { isContact: room.direct.state === 'accepted' }) })),
  )
  const [known, locks] = await Promise.all([knownOf(env, listed), locksWith(env, rows, isAnswered)])
  const byId = new Map(listed.map(({ id }, at) => [id, known[at]]))
  const shown = (person: Person) => {
    const account = byId.get(person.id)
    return account ? shownPerson(person, account) : person
  }
  return rows.map(({ room, people }) => ({ room: withLock(room, lockOf(env, locks, room)), people: people.map(shown) }))
}

function putRows(rows: RoomOfRow[]): RoomRow[] {
  putPeople(rows.flatMap(({ people }) => people))
  const rooms = rows.map(({ room }) => knownRoom(room))
  putRooms(rooms)
  setBehind(rooms.map(({ id }) => id))
  return rooms
}

async function locksWith(env: Env, rows: RoomOfRow[], isAnswered: boolean): Promise<ChatLocks> {
  let locks = await env.crypto.chatLocks()
  if (isAnswered && rows.some(({ room }) => locks.waiting.includes(room.id))) {
    await keepDrafts()
    await env.crypto.followLocks(passwordsOf(rows.map(({ room }) => room)))
    locks = await env.crypto.chatLocks()
  }
  const ended = rows.filter(({ room }) => room.lock === 'shut' && locks.states[room.id] === 'open')
  for (const { room } of ended) await shutHere(env, room)
  return ended.length > 0 ? env.crypto.chatLocks() : locks
}

/** Keeps the mismatch of device lists, which a row does not show. */
const shownPerson = (person: Person, known: KnownAccount): Person => ({
  ...person,
  ...shownOf(known, person),
  mismatch: person.isDeleted ? null : (known.mismatch ?? personById(person.id)?.mismatch ?? null),
})

function knownRoom(room: RoomRow): RoomRow {
  const before = roomById(room.id)
  if (!before) return room
  const { preview, asksRestart, forks, isTyping } = before
  return isShutRow(room) ? { ...room, asksRestart } : { ...room, preview, asksRestart, forks, isTyping }
}
