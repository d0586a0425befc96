import type { z } from 'zod'
import type { listRooms, RoomPage } from '../../../contract/chat/roomlist.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { askingOf } from '../chatlocks/chatGate.ts'
import { bringUp } from './inbox.ts'
import * as store from './store-list.ts'
import type { RowReader } from './store-listrow.ts'
import { openNumber, sealNumber } from './token.ts'

/** Returns a page, changes or some rows as JSON. Throws Refusal. */
export async function readList(env: Env, user: SignedInUser, asked: z.output<typeof listRooms.input>): Promise<string> {
  const now = env.clock()
  const reader = { userId: user.id, ...askingOf(user, now), now }
  if (asked.since !== undefined) return await changesSince(env, reader, asked.since, asked.limit)
  if (asked.ids !== undefined) return await rowsOf(env, reader, asked.ids.split(','))
  return await pageBefore(env, reader, asked.before, asked.limit)
}

async function pageBefore(env: Env, reader: RowReader, before: string | undefined, limit: number): Promise<string> {
  const place = before === undefined ? undefined : readPlace(before)
  if (place === undefined) await bringUp(env.db, reader.userId)
  const { lastNumber, picked } = await store.readPage(env.db, reader, place, limit + 1)
  // Nobody has read the list from its beginning.
  if (lastNumber === null) {
    await bringUp(env.db, reader.userId)
    return await pageBefore(env, reader, before, limit)
  }
  const page = picked.slice(0, limit)
  const last = page.at(-1)
  const isCut = picked.length > limit
  const listed = page.filter(({ json }) => json !== null)
  const counter = sealNumber(env.inboxKey, reader.userId, lastNumber)
  return written(listed, { counter, more: isCut, before: isCut && last ? `${last.ms}.${last.roomId}` : null })
}

async function changesSince(env: Env, reader: RowReader, token: string, limit: number): Promise<string> {
  const { userId } = reader
  const since = openNumber(env.inboxKey, userId, token)
  if (since === undefined) throw new Refusal('list_moved_on')
  const reached = await bringUp(env.db, userId)
  // A database that was put back knows no higher number.
  if (since < reached.floor || since > reached.lastNumber) throw new Refusal('list_moved_on')
  if (since === reached.lastNumber) return written([], { counter: token, more: false, before: null })
  const { lastNumber, picked } = await store.readRaised(env.db, reader, since, limit + 1)
  const page = picked.slice(0, limit)
  const last = page.at(-1)
  const isCut = picked.length > limit
  return written(page, {
    counter: sealNumber(env.inboxKey, userId, isCut && last ? last.number : (lastNumber ?? reached.lastNumber)),
    more: isCut,
    before: null,
  })
}

async function rowsOf(env: Env, reader: RowReader, roomIds: string[]): Promise<string> {
  const rows = await store.readRows(env.db, reader, [...new Set(roomIds)])
  return written(rows, { counter: null, more: false, before: null })
}

/** Rooms of strangers are `removed` like those off the list. */
function written(
  picked: { roomId: string; json: string | null }[],
  { counter, more, before }: Pick<RoomPage, 'counter' | 'more' | 'before'>,
): string {
  const rooms = picked.flatMap(({ json }) => json ?? [])
  const removed = picked.flatMap(({ roomId, json }) => (json === null ? roomId : []))
  return `{"rooms":[${rooms.join()}],${JSON.stringify({ removed, counter, more, before }).slice(1)}`
}

const readPlace = (text: string): store.Place => {
  const dot = text.indexOf('.')
  return { ms: Number(text.slice(0, dot)), roomId: text.slice(dot + 1) }
}
