import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { directRoomId } from '../contract/ground/shapes.ts'
import { clearUsage } from './admin/store.ts'
import { raiseMarks } from './chat/messages/store-marks.ts'
import { appendMessages } from './chat/rooms/store-append.ts'
import { creation, plantGroup } from './testing/group.ts'
import { newMessage } from './testing/message.ts'
import type { Person } from './testing/person.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

const textOf = ({ room, id }: Record<string, unknown>) => `${room} ${id}`

/** Holds the first member of these rooms by key, of one person where named, while `write` runs. Returns those behind that are locked meanwhile. */
async function lockedBehind(rooms: string[], write: () => Promise<unknown>, userId?: string): Promise<string[]> {
  const members = await world.sql(
    'select chat_room_id as room, user_id as id from chat_participants where chat_room_id = any($1) order by chat_room_id, user_id',
    [rooms],
  )
  const at = members.findIndex(({ id }) => userId === undefined || id === userId)
  const { written, free } = await world.env.db.transaction(async (tx) => {
    const { room, id } = members[at] ?? {}
    await tx.execute(sql`select from chat_participants where chat_room_id = ${room} and user_id = ${id} for no key update`)
    const written = write()
    await world.lockWaits()
    const { rows: free } = await tx.execute(sql`
      select chat_room_id as room, user_id as id from chat_participants where chat_room_id = any(${sql.param(rooms)}::text[])
      for no key update skip locked`)
    // It can end only after this transaction.
    return { written: [written], free: free.map(textOf) }
  })
  await Promise.all(written)
  return members
    .slice(at)
    .map(textOf)
    .filter((member) => !free.includes(member))
}

/** Somebody in two chats, the rows of which lie in the table against the order of their keys. */
async function inTwoChats(): Promise<{ one: Person; others: Person[]; rooms: string[] }> {
  const [one, ...others] = [await world.person('one'), await world.person('ann'), await world.person('ben')]
  const known = others.map((other) => ({ other, room: directRoomId(one.id, other.id) }))
  const sorted = await world.sql('select id from unnest($1::text[]) id order by id', [known.map(({ room }) => room)])
  const talks = sorted.flatMap(({ id }) => known.filter(({ room }) => room === id))
  for (const { other } of talks.toReversed()) {
    const [low, high] = one.id < other.id ? [one, other] : [other, one]
    await high.talksTo(low)
  }
  return { one, others: talks.map(({ other }) => other), rooms: talks.map(({ room }) => room) }
}

test('marks of one call lock their members by key, in whatever order they come', async () => {
  const { one, rooms } = await inTwoChats()
  const marks = rooms.map((chatRoomId) => {
    const { session } = newMessage(chatRoomId, one)
    return { ...{ chatRoomId, userId: one.id, seq: 1, isRead: true }, session }
  })
  const raise = () => raiseMarks(world.pool, marks.toReversed(), world.env.clock())
  expect(await lockedBehind(rooms, raise, one.id)).toEqual([])
})

test('messages of one call lock the members of their rooms by key, those of silent ones too', async () => {
  const { others, rooms } = await inTwoChats()
  const messages = others.map((other, at) => newMessage(rooms[at] ?? '', other, { isSilent: at > 0 }))
  const append = () => appendMessages(world.pool, messages.toReversed(), world.env.clock())
  expect(await lockedBehind(rooms, append)).toEqual([])
})

test('a commit locks the members of its room by key', async () => {
  const { one, rooms } = await inTwoChats()
  const [chatRoomId = ''] = rooms
  await one.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  expect(await lockedBehind([chatRoomId], () => one.does(roomsApi.commit, creation(chatRoomId)))).toEqual([])
})

test('a reset of what somebody has used locks their memberships by key', async () => {
  const { one, others, rooms } = await inTwoChats()
  for (const [at, room] of rooms.entries()) await others[at]?.says(room, 'received')
  const now = world.env.clock()
  const clear = () => world.env.db.transaction((tx) => clearUsage(tx, one.id, now, now))
  expect(await lockedBehind(rooms, clear, one.id)).toEqual([])
})

test('who deletes their account locks the members of all its chats by key, of groups too', async () => {
  const { one, others, rooms } = await inTwoChats()
  const group = await plantGroup(world, one, ...others)
  const remove = () => one.does(accountApi.remove, { password: one.authSecret, kdf: 1 })
  expect(await lockedBehind([...rooms, group], remove, one.id)).toEqual([])
})
