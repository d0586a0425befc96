import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { plants, settles } from '../../testing/crowded.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { readInbox } from './store-inbox.ts'
import { settle } from './store-settle.ts'

const world = await startWorld()

test('whatever changes after an inbox was compared is among what is new, by whomever and however often it was compared', async () => {
  const { alice, bob, carol } = await world.people()
  const room = await alice.talksTo(bob)
  await carol.talksTo(alice)
  await plants(world, alice, 5)
  const ids = (page: { rooms: { chatRoomId: string }[] }) => page.rooms.map(({ chatRoomId }) => chatRoomId)
  const changes: [what: string, () => Promise<unknown>][] = [
    ['a message', () => bob.says(room, 'hello')],
    ['an own message', () => alice.says(room, 'hello')],
    ['their mark as delivered', () => bob.does(messagesApi.markDelivered, { chatRoomId: room, seq: 2 })],
    ['their mark as read', () => bob.does(messagesApi.markRead, { chatRoomId: room, seq: 2 })],
    ['a mute', () => alice.does(notificationsApi.mute, { chatRoomId: room, term: 'hour' })],
    ['their name', () => bob.does(accountApi.updateProfile, { displayName: 'Robert' })],
    ['a block', async () => alice.does(contactsApi.block, { contactId: await contactOf(alice, room) })],
    ['its end', async () => alice.does(contactsApi.unblock, { contactId: await contactOf(alice, room) })],
  ]
  for (const [what, change] of changes) {
    for (const each of [alice, bob]) await settles(world, each)
    const since = (await alice.does(roomsApi.list, {})).counter ?? ''
    expect(ids(await alice.does(roomsApi.list, { since })), what).toEqual([])
    await change()
    expect(ids(await alice.does(roomsApi.list, { since })), what).toEqual([room])
  }
})

const contactOf = async (who: Person, room: string) =>
  (await who.does(contactsApi.list, {})).find(({ chatRoomId }) => chatRoomId === room)?.id ?? ''

test('a change whose transaction is open while its row is compared and settled is new once it ends', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  await settles(world, alice)
  const since = (await alice.does(roomsApi.list, {})).counter ?? ''
  const late = new pg.Client({ connectionString: world.databaseUrl })
  await late.connect()
  onTestFinished(() => late.end())
  await late.query('begin')
  await late.query('update chat_participants set delivered_seq = 7 where chat_room_id = $1 and user_id = $2', [room, bob.id])
  await late.query('update chat_participants set muted_until = $3 where chat_room_id = $1 and user_id = $2', [
    room,
    alice.id,
    new Date(),
  ])
  await alice.does(roomsApi.list, { since })
  const { comparedTo = '0' } = (await readInbox(world.env.db, alice.id)) ?? {}
  await settle(world.env.db, alice.id, comparedTo, 100)
  await late.query('commit')
  await settle(world.env.db, alice.id, comparedTo, 100)
  expect((await alice.does(roomsApi.list, { since })).rooms).toMatchObject([{ chatRoomId: room, people: [{ deliveredSeq: 7 }] }])
})
