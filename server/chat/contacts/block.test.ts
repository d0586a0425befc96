import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { creation } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function pair() {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const chatRoomId = await alice.talksTo(eve)
  const [row] = await alice.contacts()
  const contactId = row?.id ?? ''
  return { alice, eve, chatRoomId, contactId }
}

const logOf = async (person: Person, chatRoomId: string) => (await person.does(roomsApi.log, { chatRoomId })).entries
const textsOf = async (person: Person, chatRoomId: string) =>
  (await person.does(messagesApi.list, { chatRoomId })).map(({ content }) => content)
const rowOf = async (person: Person, chatRoomId: string) => (await person.does(roomsApi.list, { ids: chatRoomId })).rooms[0]

test('what Eve writes after a block keeps its place and its hash, and no word of it reaches Alice, also after the block', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await eve.says(chatRoomId, 'before')
  const socket = await alice.opensSocket()
  await alice.does(contactsApi.block, { contactId })
  const sent = await eve.says(chatRoomId, 'while blocked')
  await alice.says(chatRoomId, 'mine')
  expect(await textsOf(alice, chatRoomId)).toEqual(['before', 'mine'])
  const [hash] = await world.sql(
    "select encode(content_hash, 'base64') as hash from messages where room = (select number from chat_rooms where id = $1) and seq = 2",
    [chatRoomId],
  )
  const withheld = (await logOf(alice, chatRoomId))[1]
  expect(withheld).toEqual({
    ...{ kind: 'withheld', id: sent.id, seq: 2, chatRoomId, senderId: eve.id, createdAt: sent.createdAt },
    contentHash: hash?.['hash'],
  })
  expect(await rowOf(alice, chatRoomId)).toMatchObject({
    direct: { isBlocked: true },
    unreadCount: 0,
    lastSeq: 3,
    lastMessage: { seq: 3 },
  })
  expect(await alice.does(notificationsApi.unreadCount, {})).toEqual({ count: 0 })
  await alice.does(contactsApi.unblock, { contactId })
  await eve.says(chatRoomId, 'after')
  expect(await textsOf(alice, chatRoomId)).toEqual(['before', 'mine', 'after'])
  expect((await logOf(alice, chatRoomId)).map(({ kind }) => kind)).toEqual(['message', 'withheld', 'message', 'message'])
  expect(await rowOf(alice, chatRoomId)).toMatchObject({ direct: { isBlocked: false }, unreadCount: 1 })
  await socket.hears('message', ({ data }) => data.content === 'after')
  expect(JSON.stringify(socket.frames)).not.toContain('while blocked')
  expect(JSON.stringify(await alice.contacts())).not.toContain('while blocked')
  expect((await textsOf(eve, chatRoomId)).length).toBe(4)
  socket.hangsUp()
})

test('a page of messages is filled although the newest places are withheld, and so is the row of the list', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  for (const text of ['one', 'two', 'three']) await eve.says(chatRoomId, text)
  await alice.does(contactsApi.block, { contactId })
  for (let count = 0; count < 5; count++) await eve.says(chatRoomId, 'flood')
  expect((await alice.does(messagesApi.list, { chatRoomId, limit: 2 })).map(({ content }) => content)).toEqual(['two', 'three'])
  expect(await alice.does(messagesApi.list, { chatRoomId, limit: 2, after: 3 })).toEqual([])
  expect(await rowOf(alice, chatRoomId)).toMatchObject({ lastMessage: { seq: 3 }, lastSeq: 8 })
  expect((await alice.contacts())[0]?.lastMessage).toMatchObject({ content: 'three' })
})

test('a block while a message is under way takes it whole or not at all', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  for (let round = 0; round < 8; round++) {
    const [sent] = await Promise.all([eve.says(chatRoomId, `round ${round}`), alice.does(contactsApi.block, { contactId })])
    const isGiven = (await logOf(alice, chatRoomId))[sent.seq - 1]?.kind === 'message'
    const [member] = await world.sql(
      'select withheld @> $3::bigint as withheld, unread_count as unread from chat_participants where chat_room_id = $1 and user_id = $2',
      [chatRoomId, alice.id, sent.seq],
    )
    expect(member).toEqual({ withheld: !isGiven, unread: 0 })
    await alice.does(contactsApi.unblock, { contactId })
  }
})

test('a message that waits for its place is before the block or behind it: the block takes its turn at the room', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  const holder = await world.pool.connect()
  await holder.query('begin')
  await holder.query('select from chat_rooms where id = $1 for update', [chatRoomId])
  const sent = eve.says(chatRoomId, 'just in time')
  await world.lockWaits(1)
  const blocked = alice.does(contactsApi.block, { contactId })
  await world.lockWaits(2)
  await holder.query('commit')
  holder.release()
  await Promise.all([sent, blocked])
  await eve.says(chatRoomId, 'too late')
  expect(await textsOf(alice, chatRoomId)).toEqual(['just in time'])
})

test('whoever is blocked sees the time of the block as the last one, however often the other comes and goes', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  const visits = async () => {
    const socket = await alice.opensSocket()
    await socket.hears('hello')
    return socket
  }
  const first = await visits()
  await expect.poll(async () => (await rowOf(eve, chatRoomId))?.people[0]?.isOnline).toBe(true)
  await alice.does(contactsApi.block, { contactId })
  const seen = (await rowOf(eve, chatRoomId))?.people[0]
  expect(seen).toMatchObject({ isOnline: false, lastSeen: expect.any(String) })
  first.hangsUp()
  await first.closed
  world.passes(1000)
  const second = await visits()
  expect((await rowOf(eve, chatRoomId))?.people[0]).toEqual(seen)
  second.hangsUp()
  await second.closed
  await expect.poll(() => world.env.hub.isHere(alice.id)).toBe(false)
  world.passes(1000)
  expect((await rowOf(eve, chatRoomId))?.people[0]).toEqual(seen)
  expect((await eve.contacts())[0]?.contactUser).toMatchObject({ isOnline: false, lastSeen: seen?.lastSeen })
})

test('a commit of whom Alice blocks comes to none of her pages, and to the other one’s own as before', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  await alice.does(contactsApi.block, { contactId })
  const [hers, eves] = [await alice.opensSocket(), await eve.opensSocket()]
  await eve.does(roomsApi.commit, creation(chatRoomId))
  await eves.hears('commit')
  await alice.does(contactsApi.unblock, { contactId })
  await eve.does(messagesApi.markRead, { chatRoomId })
  await eve.says(chatRoomId, 'after')
  await hers.hears('message')
  expect(hers.frames.map(({ type }) => type)).not.toContain('commit')
  expect((await logOf(alice, chatRoomId)).map(({ kind }) => kind)).toEqual(['commit', 'message'])
  for (const line of [hers, eves]) line.hangsUp()
})

test('whoever is blocked claims key packages as before: the last resort alone would tell them', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  await eve.does(roomsApi.commit, creation(chatRoomId))
  await alice.does(contactsApi.block, { contactId })
  const free = () =>
    world.sql('select from key_packages where user_id = $1 and not is_last_resort and claimed_by is null', [alice.id])
  const before = (await free()).length
  await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })
  expect(await free()).toHaveLength(before - 1)
})

/** What Eve is answered, without what differs between any two pairs of people: ids, names, times, keys. */
function bare(value: unknown, people: Person[]): string {
  const names = new Map<string, string>()
  const named = people.reduce(
    (text, { username, deviceId }, at) => text.replaceAll(username, `person ${at}`).replaceAll(deviceId, `device ${at}`),
    JSON.stringify(value),
  )
  return named
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const at = people.findIndex((person) => person.id === id)
      const name = names.get(id) ?? (at >= 0 ? `id ${at}` : `other ${names.size}`)
      names.set(id, name)
      return name
    })
    .replace(/dm_id \d_id \d/g, 'room')
    .replace(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, 'time')
    .replace(/"(counter|before)":"[^"]*"/g, '"$1":"x"')
    .replace(/"[A-Za-z0-9+/]{40,}={0,2}"/g, '"bytes"')
    .replace(/[a-z2-7]{56}\.onion/g, 'onion')
    .replace(/"content":"\{(\\.|[^"\\])*"/g, '"content":"document"')
}

/** Eve has a chat with somebody, who then leaves it in their way; returns all that Eve is answered and hears from then on. */
async function seenByEve(leaves: (them: Person, contactId: string, chatRoomId: string) => Promise<void>) {
  const [them, eve] = await Promise.all([world.person('them'), world.person('eve')])
  const chatRoomId = await them.talksTo(eve)
  const contactId = (await them.contacts())[0]?.id ?? ''
  await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  await eve.does(roomsApi.commit, creation(chatRoomId))
  const socket = await eve.opensSocket()
  await eve.says(chatRoomId, 'hello')
  await them.does(messagesApi.markRead, { chatRoomId })
  await eve.says(chatRoomId, 'unread')
  const { counter } = await eve.does(roomsApi.list, {})
  await leaves(them, contactId, chatRoomId)
  await socket.hears('presence', ({ data }) => !data.isOnline)
  const said: unknown[] = []
  const asks = async (endpoint: Endpoint, input: Record<string, unknown>) => {
    const { status, body } = await eve.tries(endpoint, input)
    said.push([endpoint.path, status, body])
  }
  const id = randomUUID()
  for (let twice = 0; twice < 2; twice++)
    await asks(messagesApi.send, { chatRoomId, id, content: 'still there?', messageType: 'text' })
  socket.says({ type: 'message', data: { chatRoomId, content: 'by socket', messageType: 'text' } })
  await socket.hears('message', ({ data }) => data.content === 'by socket')
  socket.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  await asks(messagesApi.markRead, { chatRoomId })
  await asks(messagesApi.list, { chatRoomId })
  await asks(roomsApi.log, { chatRoomId })
  await asks(roomsApi.group, { chatRoomId })
  await asks(contactsApi.list, {})
  await asks(roomsApi.list, {})
  await asks(roomsApi.list, { since: counter })
  await asks(contactsApi.add, { username: them.username })
  await asks(devicesApi.manifest, { userId: them.id })
  for (let time = 0; time < 7; time++) await asks(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })
  await asks(contactsApi.remove, { contactId: (await eve.contacts())[0]?.id })
  await asks(contactsApi.add, { username: them.username })
  await asks(roomsApi.list, {})
  socket.says({ type: 'ping', data: {} })
  await socket.hears('pong')
  const people = [them, eve]
  const room = new RegExp(`dm_(${them.id}_${eve.id}|${eve.id}_${them.id})`, 'g')
  const whole = JSON.parse(JSON.stringify({ said, frames: socket.frames }).replace(room, 'room'))
  socket.hangsUp()
  return {
    answers: whole.said.map((each: unknown) => bare(each, people)),
    frames: whole.frames.map((each: unknown) => bare(each, people)),
  }
}

test('whoever is blocked is answered, byte for byte, like somebody whose friend is away', async () => {
  const away = await seenByEve(async (them) => {
    const socket = await them.opensSocket()
    await socket.hears('hello')
    socket.hangsUp()
    await socket.closed
  })
  const blocked = await seenByEve(async (them, contactId, chatRoomId) => {
    const socket = await them.opensSocket()
    await socket.hears('hello')
    await them.does(contactsApi.block, { contactId })
    // Whoever blocks goes on with their life, here too.
    await them.does(messagesApi.markDelivered, { chatRoomId, seq: 3 })
    await them.does(messagesApi.markRead, { chatRoomId })
    socket.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
    socket.hangsUp()
    await socket.closed
    const again = await them.opensSocket()
    await again.hears('hello')
    again.hangsUp()
    await again.closed
  })
  expect(blocked).toEqual(away)
  expect(away.answers.length).toBeGreaterThan(20)
})

test('a request that is blocked leaves the list, comes back by no new request, and only the one who blocked lifts it', async () => {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  await eve.adds(alice)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  await alice.does(contactsApi.block, { contactId })
  const socket = await alice.opensSocket()
  for (const call of [contactsApi.accept, contactsApi.restore])
    expect(await alice.tries(call, { contactId })).toBeRefused(404, 'not_found')
  const before = await eve.contacts()
  await eve.does(contactsApi.remove, { contactId: before[0]?.id ?? '' })
  await eve.adds(alice)
  const [row] = await eve.contacts()
  await eve.says(row?.chatRoomId ?? '', 'answer me')
  expect(await alice.contacts()).toEqual([])
  socket.says({ type: 'ping', data: {} })
  await socket.hears('pong')
  expect(socket.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
  socket.hangsUp()
  // Alice adds her by name: she is on the list again, and still blocked.
  await alice.adds(eve)
  expect(await alice.contacts()).toMatchObject([{ isBlocked: true, state: 'accepted' }])
  await alice.does(contactsApi.unblock, { contactId })
  expect(await alice.contacts()).toMatchObject([{ isBlocked: false }])
})

test('a block that is set twice and lifted twice is one block, and removing the person keeps it', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  for (let twice = 0; twice < 2; twice++) await alice.does(contactsApi.block, { contactId })
  await eve.says(chatRoomId, 'one')
  await alice.does(contactsApi.remove, { contactId })
  await eve.says(chatRoomId, 'two')
  expect(await textsOf(alice, chatRoomId)).toEqual([])
  await alice.adds(eve)
  for (let twice = 0; twice < 2; twice++) await alice.does(contactsApi.unblock, { contactId })
  await eve.says(chatRoomId, 'three')
  expect(await textsOf(alice, chatRoomId)).toEqual(['three'])
})

test("Eve blocks, unblocks and clears nothing of others: with Alice's contact ids she finds nothing", async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await alice.says(chatRoomId, 'kept')
  for (const call of [contactsApi.block, contactsApi.unblock, contactsApi.clearChat])
    expect(await eve.tries(call, { contactId })).toBeRefused(404, 'not_found')
  expect(await alice.contacts()).toMatchObject([{ isBlocked: false, clearedSeq: 0 }])
  expect(await textsOf(alice, chatRoomId)).toEqual(['kept'])
})

test('whom Alice blocks she finds in one list, also who only asked and whom she has removed since, and Eve finds nobody in hers', async () => {
  const { alice, eve, contactId } = await pair()
  const [bob, carol, dave] = await Promise.all(['bob', 'carol', 'dave'].map((name) => world.person(name)))
  if (!bob || !carol || !dave) throw new Error('Somebody is missing')
  await alice.talksTo(bob)
  await carol.adds(alice)
  await alice.talksTo(dave)
  const idOf = async ({ id }: Person) => (await alice.contacts()).find(({ contactUserId }) => contactUserId === id)?.id ?? ''
  const [ofBob, ofCarol] = [await idOf(bob), await idOf(carol)]
  for (const each of [contactId, ofBob, ofCarol]) await alice.does(contactsApi.block, { contactId: each })
  await alice.does(contactsApi.remove, { contactId: ofBob })
  const listed = [
    { contactId: ofBob, userId: bob.id, username: bob.username, isListed: false },
    { contactId: ofCarol, userId: carol.id, username: carol.username, isListed: false },
    { contactId, userId: eve.id, username: eve.username, isListed: true },
  ]
  expect(await alice.does(contactsApi.blocked, {})).toEqual(listed)
  expect(await eve.does(contactsApi.blocked, {})).toEqual([])
  await alice.does(contactsApi.unblock, { contactId: ofCarol })
  expect(await alice.does(contactsApi.blocked, {})).toEqual(listed.filter(({ userId }) => userId !== carol.id))
  // Whose request it was stays off the list, until she is added by name.
  expect((await alice.contacts()).map(({ contactUserId }) => contactUserId).sort()).toEqual([dave.id, eve.id].sort())
})
