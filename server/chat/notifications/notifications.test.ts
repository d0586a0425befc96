import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { MUTED_FOR_GOOD, type Notification, notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Browser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** Alice with two friends, Eve apart. */
async function friends() {
  const { alice, bob, carol, eve } = await world.people()
  return { alice, bob, carol, eve, withBob: await alice.talksTo(bob), withCarol: await alice.talksTo(carol) }
}

const count = async (person: Person) => (await person.does(notificationsApi.unreadCount, {})).count

/** What the view has for a person, as the calls answer it. */
const viewed = async ({ id }: Person) =>
  await world.sql(
    `select id, user_id as "userId", sender_id as "senderId", message_id as "messageId", chat_room_id as "chatRoomId", seq, type,
       is_read as "isRead", read_at as "readAt", to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
     from notifications where user_id = $1 and not is_read order by created_at desc, seq desc, chat_room_id desc`,
    [id],
  )

async function everyNotification(person: Person, limit = 2): Promise<Notification[]> {
  const all: Notification[] = []
  for (let before: string | undefined; ; ) {
    const page = await person.does(notificationsApi.list, { limit, ...(before !== undefined && { before }) })
    all.push(...page.notifications)
    if (page.before === null) return all
    before = page.before
  }
}

/** A counter since which nothing has changed: an answer may repeat what changed while other transactions ran. */
async function quietCounter(person: Browser): Promise<string> {
  let since = (await person.does(roomsApi.list, {})).counter ?? ''
  const isQuiet = async () => {
    const { rooms, counter } = await person.does(roomsApi.list, { since })
    since = counter ?? since
    return rooms.length === 0
  }
  await expect.poll(isQuiet).toBe(true)
  return since
}

/** Each number that a person may see, by where it stands. */
async function numbers(person: Person) {
  const { rooms } = await person.does(roomsApi.list, {})
  const contacts = await person.contacts()
  return {
    bell: await count(person),
    listed: (await everyNotification(person)).length,
    rows: rooms.map(({ unreadCount }) => unreadCount).sort(),
    contacts: contacts.map(({ unreadCount }) => unreadCount).sort(),
    dots: contacts.filter(({ hasUnreadNotifications }) => hasUnreadNotifications).length,
  }
}

test('the bell, the rows, the dots and the list of notifications never show different numbers', async () => {
  const { alice, bob, carol, withBob, withCarol } = await friends()
  for (const text of ['one', 'two', 'three']) await bob.says(withBob, text)
  await carol.says(withCarol, 'four')
  await alice.says(withCarol, 'of one’s own')
  expect(await numbers(alice)).toEqual({ bell: 4, listed: 4, rows: [1, 3], contacts: [1, 3], dots: 2 })
  expect(await everyNotification(alice)).toEqual(await viewed(alice))
  await alice.does(messagesApi.markRead, { chatRoomId: withBob, seq: 2 })
  expect(await everyNotification(alice)).toEqual(await viewed(alice))
  expect(await numbers(alice)).toEqual({ bell: 2, listed: 2, rows: [1, 1], contacts: [1, 1], dots: 2 })
  await alice.does(contactsApi.remove, {
    contactId: (await alice.contacts()).find(({ chatRoomId }) => chatRoomId === withCarol)?.id ?? '',
  })
  expect(await numbers(alice)).toEqual({ bell: 1, listed: 1, rows: [1], contacts: [1], dots: 1 })
})

test('a notification names who has written, where and when, and each stands on one page, also while more come', async () => {
  const { alice, bob, carol, withBob, withCarol } = await friends()
  const said = []
  for (let at = 0; at < 5; at++) said.push(await (at % 2 ? carol.says(withCarol, `${at}`) : bob.says(withBob, `${at}`)))
  const first = await alice.does(notificationsApi.list, { limit: 2 })
  expect(first.notifications[0]).toEqual({
    ...{ id: expect.any(String), userId: alice.id, senderId: bob.id, messageId: said[4]?.id, chatRoomId: withBob, seq: 3 },
    ...{ type: 'new_message', isRead: false, readAt: null, createdAt: said[4]?.createdAt },
  })
  await bob.says(withBob, 'meanwhile')
  const second = await alice.does(notificationsApi.list, { limit: 2, before: first.before ?? '' })
  const third = await alice.does(notificationsApi.list, { limit: 2, before: second.before ?? '' })
  const ids = [first, second, third].flatMap(({ notifications }) => notifications.map(({ messageId }) => messageId))
  expect(ids).toEqual(said.map(({ id }) => id).reverse())
  expect(third.before).toBeNull()
})

test('a request rings no bell before it is accepted', async () => {
  const { bob, eve } = await friends()
  await eve.adds(bob)
  const room = directRoomId(bob.id, eve.id)
  await eve.says(room, 'let me in')
  expect(await numbers(bob)).toMatchObject({ bell: 0, listed: 0, dots: 0 })
  const request = (await bob.contacts()).find(({ chatRoomId }) => chatRoomId === room)
  await bob.does(contactsApi.accept, { contactId: request?.id ?? '' })
  expect(await numbers(bob)).toMatchObject({ bell: 1, listed: 1, dots: 1 })
})

test('the bell follows a contact: declined, put back, answered, removed, asked for again and added', async () => {
  const { bob, eve } = await friends()
  const contactId = async () => {
    const [row] = await world.sql('select id from contacts where user_id = $1 and contact_user_id = $2', [bob.id, eve.id])
    return String(row?.['id'])
  }
  /** What the bell and its list count, which is what the contacts say: the view reads them. */
  const rung = async () => {
    const listed = await everyNotification(bob)
    expect(listed).toEqual(await viewed(bob))
    expect(await count(bob)).toBe(listed.length)
    return listed.length
  }
  await eve.adds(bob)
  const room = directRoomId(bob.id, eve.id)
  await eve.says(room, 'one')
  await bob.does(contactsApi.decline, { contactId: await contactId() })
  await eve.says(room, 'two')
  expect(await rung()).toBe(0)
  await bob.does(contactsApi.restore, { contactId: await contactId() })
  expect(await rung()).toBe(0)
  await bob.says(room, 'an answer accepts')
  expect(await rung()).toBe(2)
  await bob.does(contactsApi.remove, { contactId: await contactId() })
  expect(await rung()).toBe(0)
  await eve.says(room, 'asks again')
  expect(await rung()).toBe(0)
  await bob.adds(eve)
  expect(await rung()).toBe(3)
})

test('a muted chat keeps its count and leaves bell and dot, on every device, until the time is over', async () => {
  const { alice, bob, carol, withBob, withCarol } = await friends()
  const laptop = await alice.elsewhere()
  await laptop.proves(alice.deviceId)
  const socket = await laptop.opensSocket()
  await bob.says(withBob, 'before')
  await carol.says(withCarol, 'other')
  const since = await quietCounter(laptop)
  const { mutedUntil } = await alice.does(notificationsApi.mute, { chatRoomId: withBob, term: 'hour' })
  await socket.hears('contacts')
  const { rooms } = await laptop.does(roomsApi.list, { since })
  expect(rooms).toMatchObject([{ chatRoomId: withBob, mutedUntil, unreadCount: 1 }])
  await bob.says(withBob, 'after')
  expect(await numbers(alice)).toEqual({ bell: 1, listed: 1, rows: [1, 2], contacts: [1, 2], dots: 1 })
  world.passes(3601)
  await alice.returns()
  expect(await numbers(alice)).toEqual({ bell: 3, listed: 3, rows: [1, 2], contacts: [1, 2], dots: 2 })
  expect((await alice.contacts()).map((row) => row.mutedUntil)).toEqual([null, null])
  expect(await alice.does(notificationsApi.mute, { chatRoomId: withBob, term: 'always' })).toEqual({ mutedUntil: MUTED_FOR_GOOD })
  expect(await count(alice)).toBe(1)
  await alice.does(notificationsApi.unmute, { chatRoomId: withBob })
  expect(await count(alice)).toBe(3)
  socket.hangsUp()
  await socket.closed
})

test('nobody learns that they were muted: their list has no change, and their socket hears nothing', async () => {
  const { alice, bob, withBob } = await friends()
  await bob.says(withBob, 'hello')
  const socket = await bob.opensSocket()
  const since = await quietCounter(bob)
  await alice.does(notificationsApi.mute, { chatRoomId: withBob, term: 'week' })
  await alice.does(notificationsApi.unmute, { chatRoomId: withBob })
  expect((await bob.does(roomsApi.list, { since })).rooms).toEqual([])
  await alice.does(messagesApi.markDelivered, { chatRoomId: withBob, seq: 1 })
  await socket.hears('receipt')
  expect(socket.frames.map(({ type }) => type)).not.toContain('contacts')
  expect((await bob.does(roomsApi.list, { since })).rooms).toHaveLength(1)
  socket.hangsUp()
  await socket.closed
})

test('what was marked in one list is read everywhere, and what came behind it stays unread', async () => {
  const { alice, bob, carol, withBob, withCarol } = await friends()
  const laptop = await alice.opensSocket()
  await bob.says(withBob, 'one')
  await carol.says(withCarol, 'two')
  await bob.says(withBob, 'not seen yet')
  const rooms = [
    { chatRoomId: withBob, seq: 1 },
    { chatRoomId: withCarol, seq: 1 },
  ]
  await alice.does(notificationsApi.read, { rooms })
  expect((await laptop.hears('receipt')).data).toMatchObject({ userId: alice.id, readSeq: 1 })
  expect(await everyNotification(alice)).toMatchObject([{ chatRoomId: withBob, seq: 2 }])
  laptop.hangsUp()
  await laptop.closed
})

test('what somebody writes while they are blocked is no notification and has no receipt, also after the block, and neither has what was cleared', async () => {
  const { alice, bob, withBob } = await friends()
  const contactId = (await alice.contacts()).find(({ chatRoomId }) => chatRoomId === withBob)?.id ?? ''
  await bob.says(withBob, 'before')
  await alice.does(contactsApi.block, { contactId })
  await bob.says(withBob, 'during')
  expect(await numbers(alice)).toMatchObject({ bell: 0, listed: 0 })
  await alice.does(contactsApi.unblock, { contactId })
  const after = await bob.says(withBob, 'after')
  expect(await everyNotification(alice)).toMatchObject([{ messageId: after.id }])
  expect(await everyNotification(alice)).toEqual(await viewed(alice))
  await alice.does(messagesApi.markRead, { chatRoomId: withBob })
  const seqsOf = async (view: string) =>
    (await world.sql(`select seq from ${view} where chat_room_id = $1 and user_id = $2 order by seq`, [withBob, alice.id])).map(
      (row) => row['seq'],
    )
  expect([await seqsOf('notifications'), await seqsOf('message_receipts')]).toEqual([
    [1, 3],
    [1, 3],
  ])
  await alice.does(contactsApi.clearChat, { contactId })
  expect(await seqsOf('notifications')).toEqual([])
})

test('a receipt is what the marks say: delivered, then read, and never one of one’s own messages', async () => {
  const { alice, bob, withBob } = await friends()
  const { id } = await bob.says(withBob, 'hello')
  await alice.does(messagesApi.markDelivered, { chatRoomId: withBob, seq: 1 })
  const receipts = () => world.sql('select * from message_receipts where chat_room_id = $1', [withBob])
  expect(await receipts()).toMatchObject([
    { message_id: id, user_id: alice.id, status: 'delivered', timestamp: expect.any(Date) },
  ])
  await alice.does(messagesApi.markRead, { chatRoomId: withBob })
  expect(await receipts()).toMatchObject([{ message_id: id, user_id: alice.id, status: 'read', timestamp: expect.any(Date) }])
})

test('Eve sees no notification of others, and can neither read for them nor mute their chat', async () => {
  const { alice, bob, eve, withBob } = await friends()
  await bob.says(withBob, 'for Alice')
  const own = await eve.talksTo(bob)
  await bob.says(own, 'for Eve')
  expect(await everyNotification(eve)).toMatchObject([{ userId: eve.id, chatRoomId: own }])
  // Her own room beside theirs does not carry theirs along, and is not read either.
  const rooms = [
    { chatRoomId: own, seq: 1 },
    { chatRoomId: withBob, seq: 1 },
  ]
  expect(await eve.tries(notificationsApi.read, { rooms })).toBeRefused(404, 'not_found')
  for (const chatRoomId of [withBob, `dm_${randomUUID()}_${randomUUID()}`]) {
    expect(await eve.tries(notificationsApi.mute, { chatRoomId, term: 'always' })).toBeRefused(404, 'not_found')
    expect(await eve.tries(notificationsApi.unmute, { chatRoomId })).toBeRefused(404, 'not_found')
  }
  expect([await count(alice), await count(eve)]).toEqual([1, 1])
  // A place of a page that she made up leads to her own rows alone.
  const { notifications } = await eve.does(notificationsApi.list, { before: `${Date.now() + 86_400_000}.9.${withBob}` })
  expect(notifications.map(({ chatRoomId }) => chatRoomId)).toEqual([own])
})

test('a deleted account leaves no mute behind', async () => {
  const { alice, withBob } = await friends()
  await alice.does(notificationsApi.mute, { chatRoomId: withBob, term: 'always' })
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  const rows = await world.sql('select muted_until from chat_participants where user_id = $1', [alice.id])
  expect(rows.map((row) => row['muted_until'])).toContain(null)
  expect(rows.every((row) => row['muted_until'] === null)).toBe(true)
})
