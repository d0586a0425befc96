import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { type listRooms, type RoomPage, roomRowShape } from '../../contract/roomlist.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store-list.ts'

/** Answers a page of the caller's list, its changes since a counter, or some of its rows. Throws Refusal. */
export async function readList(env: Env, user: SignedInUser, asked: z.output<typeof listRooms.input>): Promise<RoomPage> {
  if (asked.since !== undefined) return await changesSince(env, user, readCounter(asked.since), asked.limit)
  if (asked.ids !== undefined) return await rowsOf(env, user, asked.ids.split(','))
  return await pageBefore(env, user, asked.before, asked.limit)
}

async function pageBefore(env: Env, user: SignedInUser, before: string | undefined, limit: number): Promise<RoomPage> {
  const { oldest, picked } = await store.pickPage(
    env.db,
    user.id,
    before === undefined ? undefined : readPlace(before),
    limit + 1,
  )
  const page = picked.slice(0, limit)
  const last = page.at(-1)
  const { rooms } = await listed(env, user, page)
  const isCut = picked.length > limit
  // A row that leaves the list meanwhile is no part of it: whoever has it learns that by `since`.
  return { rooms, removed: [], counter: oldest, more: isCut, before: isCut && last ? `${last.ms}.${last.roomId}` : null }
}

async function changesSince(env: Env, user: SignedInUser, since: store.Since, limit: number): Promise<RoomPage> {
  const { oldest, picked, isTooOld } = await store.pickChanged(env.db, user.id, since, limit + 1)
  if (isTooOld) throw new Refusal('list_moved_on')
  const page = picked.slice(0, limit)
  const last = page.at(-1)
  const isCut = picked.length > limit
  // The pages of one reading keep the first one's number: a transaction that ends between them may have written rows that a later
  // page is past already.
  const base = since.after ? since.oldest : oldest
  const counter = isCut && last ? `${base}.${last.changedIn}.${last.roomId}` : base
  return { ...(await listed(env, user, page)), counter, more: isCut, before: null }
}

async function rowsOf(env: Env, user: SignedInUser, roomIds: string[]): Promise<RoomPage> {
  const rows = await listed(
    env,
    user,
    [...new Set(roomIds)].map((roomId) => ({ roomId })),
  )
  return { ...rows, counter: null, more: false, before: null }
}

const rowsShape = z.array(roomRowShape).max(LIMITS.roomPageMax)

/** The rows of these rooms in their order. Those that are not on the caller's list, or of strangers, are `removed` alike. */
async function listed(env: Env, user: SignedInUser, picked: { roomId: string }[]) {
  const ids = picked.map(({ roomId }) => roomId)
  const rows = ids.length === 0 ? [] : rowsShape.parse(JSON.parse(await store.rowsJson(env.db, user, ids, env.clock())))
  const byId = new Map(rows.map((row) => [row.chatRoomId, row]))
  return { rooms: ids.flatMap((id) => byId.get(id) ?? []), removed: ids.filter((id) => !byId.has(id)) }
}

const readPlace = (text: string): store.Place => {
  const dot = text.indexOf('.')
  return { ms: Number(text.slice(0, dot)), roomId: text.slice(dot + 1) }
}

function readCounter(text: string): store.Since {
  const [oldest = '', changedIn, roomId] = text.split('.')
  return { oldest, after: changedIn !== undefined && roomId !== undefined ? { changedIn, roomId } : undefined }
}
