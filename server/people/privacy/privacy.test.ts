import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { type Privacy, privacyApi } from '../../../contract/people/privacy.ts'
import type { Person } from '../../testing/person.ts'
import type { TestSocket } from '../../testing/socket.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function pair() {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  return { alice, bob, chatRoomId: await alice.talksTo(bob) }
}

const switches = (who: Person, change: Partial<Privacy>) => who.does(privacyApi.update, change)

async function opens(who: Pick<Person, 'opensSocket'>): Promise<TestSocket> {
  const line = await who.opensSocket()
  onTestFinished(() => line.hangsUp())
  return line
}

/** The frames of these types that came until now. */
async function heard(line: TestSocket, ...types: string[]) {
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
  return line.frames.filter(({ type }) => types.includes(type))
}

async function counterOf(who: Person): Promise<string> {
  await world.settles()
  return (await who.does(roomsApi.list, {})).counter ?? ''
}

/** What a person's list shows of the other one, the same by each route. */
async function sees(who: Person) {
  const [contact] = await who.contacts()
  const { rooms } = await who.does(roomsApi.list, {})
  const [row] = rooms
  const [one] = (await who.does(roomsApi.list, { ids: row?.chatRoomId ?? '' })).rooms
  expect(one).toEqual(row)
  const shown = { ...contact?.contactUser, theirReadSeq: contact?.theirReadSeq }
  const { isOnline, lastSeen } = shown
  expect(row?.people).toMatchObject([{ isOnline, lastSeen, readSeq: shown.theirReadSeq }])
  return { isOnline, lastSeen }
}

/** Waits until somebody who was here has left. */
const isAway = (who: Person) =>
  expect
    .poll(() => world.sql("select nodes = '{}' and last_seen is not null as has_left from presence where user_id = $1", [who.id]))
    .toEqual([{ has_left: true }])

test('whoever hides that they are online is away for all contacts at once, on every page, and no arrival or departure reaches one', async () => {
  const { alice, bob } = await pair()
  const laptop = await bob.addsBrowser()
  const [hers, his, theirs] = [await opens(alice), await opens(bob), await opens(laptop)]
  await hers.hears('presence', ({ data }) => data.isOnline)
  expect(await sees(alice)).toMatchObject({ isOnline: true })
  const before = await counterOf(alice)
  const privacy = { presence: false, lastSeen: true, typing: true, receipts: true }
  expect(await switches(bob, { presence: false })).toEqual(privacy)
  // Alice's page reads the row anew, and so do Bob's own pages, on which she is away as well.
  expect((await hers.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  for (const line of [his, theirs]) expect((await line.hears('account')).data).toEqual({ what: 'privacy' })
  expect(await laptop.does(accountApi.user, {})).toMatchObject({ privacy })
  expect(await sees(alice)).toMatchObject({ isOnline: false })
  expect(await sees(bob)).toMatchObject({ isOnline: false })
  // Whoever was away at that moment is answered the row.
  expect((await alice.does(roomsApi.list, { since: before })).rooms).toMatchObject([{ people: [{ isOnline: false }] }])
  const [counter, count] = [await counterOf(alice), (await heard(hers, 'presence')).length]
  const third = await opens(bob)
  for (const line of [his, theirs, third]) line.hangsUp()
  await isAway(bob)
  // He still shows when he was last seen: of his leaving she is told that alone.
  expect((await heard(hers, 'presence')).slice(count).map(({ data }) => data)).toEqual([
    { userId: bob.id, isOnline: false, lastSeen: expect.any(String) },
  ])
  const since = await alice.does(roomsApi.list, { since: counter })
  expect(since.rooms).toMatchObject([{ people: [{ lastSeen: expect.any(String) }] }])
  const away = await counterOf(alice)
  await opens(bob)
  await expect
    .poll(() => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [bob.id]))
    .toEqual([{ here: true }])
  expect((await alice.does(roomsApi.list, { since: away })).rooms).toEqual([])
  expect(await heard(hers, 'presence')).toHaveLength(count + 1)
})

test('whoever hides when they were last seen is seen by nobody, and sees it of nobody', async () => {
  const { alice, bob } = await pair()
  for (const who of [alice, bob]) {
    const line = await opens(who)
    line.hangsUp()
    await line.closed
    await isAway(who)
  }
  expect(await sees(alice)).toEqual({ isOnline: false, lastSeen: expect.any(String) })
  await switches(bob, { lastSeen: false })
  expect(await sees(alice)).toEqual({ isOnline: false, lastSeen: null })
  expect(await sees(bob)).toEqual({ isOnline: false, lastSeen: null })
  const hers = await opens(alice)
  const his = await opens(bob)
  await hers.hears('presence', ({ data }) => data.isOnline)
  his.hangsUp()
  expect((await hers.hears('presence')).data).toEqual({ userId: bob.id, isOnline: false, lastSeen: null })
  await switches(bob, { lastSeen: true })
  expect(await sees(alice)).toEqual({ isOnline: false, lastSeen: expect.any(String) })
  expect(await sees(bob)).toMatchObject({ isOnline: true })
  // With both off not even the counter tells that somebody comes or goes.
  await switches(bob, { lastSeen: false, presence: false })
  const [counter, count] = [await counterOf(alice), (await heard(hers, 'presence')).length]
  const line = await opens(bob)
  await expect
    .poll(() => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [bob.id]))
    .toEqual([{ here: true }])
  line.hangsUp()
  await isAway(bob)
  expect((await alice.does(roomsApi.list, { since: counter })).rooms).toEqual([])
  expect(await heard(hers, 'presence')).toHaveLength(count)
})

test('typing is shown by nobody who has switched it off, and to nobody who has', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const [hers, his] = [await opens(alice), await opens(bob)]
  const types = (line: TestSocket) => line.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  const settled = async () => [await heard(hers, 'typing'), await heard(his, 'typing'), await heard(hers, 'typing')].slice(1)
  await switches(bob, { typing: false })
  for (const line of [hers, his]) types(line)
  expect(await settled()).toEqual([[], []])
  await switches(bob, { typing: true })
  for (const line of [hers, his]) types(line)
  expect((await hers.hears('typing')).data).toEqual({ chatRoomId, userId: bob.id, isTyping: true })
  expect((await his.hears('typing')).data).toEqual({ chatRoomId, userId: alice.id, isTyping: true })
})

test('without read receipts Alice sees at most that a message was delivered, at every door; on Bob’s own devices it is read', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const laptop = await bob.addsBrowser()
  await switches(bob, { receipts: false })
  const [hers, theirs] = [await opens(alice), await opens(laptop)]
  await hers.hears('presence', ({ data }) => data.isOnline)
  const { seq } = await alice.says(chatRoomId, 'have you read it?')
  await bob.does(messagesApi.markDelivered, { chatRoomId, seq })
  expect((await hers.hears('receipt')).data).toEqual({ chatRoomId, userId: bob.id, deliveredSeq: seq, readSeq: 0 })
  await theirs.hears('receipt')
  const counter = await counterOf(alice)
  await bob.does(messagesApi.markRead, { chatRoomId, seq })
  // His other browser counts it as read at once.
  expect((await theirs.hears('receipt')).data).toEqual({ chatRoomId, userId: bob.id, deliveredSeq: seq, readSeq: seq })
  expect((await laptop.does(roomsApi.list, {})).rooms).toMatchObject([{ unreadCount: 0, readSeq: seq }])
  const delivered = async () => {
    const [contact] = await alice.contacts()
    expect(contact).toMatchObject({ theirReadSeq: 0, theirDeliveredSeq: seq, lastMessage: { deliveryStatus: 'delivered' } })
    expect((await alice.does(roomsApi.list, {})).rooms).toMatchObject([
      { people: [{ readSeq: 0, deliveredSeq: seq }], direct: { hasAnswered: true } },
    ])
    expect(await alice.does(messagesApi.list, { chatRoomId })).toMatchObject([{ deliveryStatus: 'delivered' }])
    expect((await alice.does(roomsApi.log, { chatRoomId })).entries).toMatchObject([{ deliveryStatus: 'delivered' }])
  }
  await delivered()
  // Neither a frame nor the counter tells when he reads.
  expect(await heard(hers, 'receipt')).toHaveLength(1)
  expect((await alice.does(roomsApi.list, { since: counter })).rooms).toEqual([])
  // What is read before it was noted as delivered is told as delivered.
  const next = await alice.says(chatRoomId, 'and this?')
  await bob.does(messagesApi.markRead, { chatRoomId })
  expect((await hers.hears('receipt')).data).toMatchObject({ deliveredSeq: next.seq, readSeq: 0 })
  await switches(bob, { receipts: true })
  expect((await hers.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  expect((await alice.contacts())[0]).toMatchObject({ theirReadSeq: next.seq, lastMessage: { deliveryStatus: 'read' } })
  // It counts both ways: Alice switches hers off, and does not see his.
  await switches(alice, { receipts: false })
  expect((await alice.contacts())[0]).toMatchObject({ theirReadSeq: 0, lastMessage: { deliveryStatus: 'delivered' } })
  await alice.says(chatRoomId, 'a last one')
  const last = await counterOf(alice)
  await bob.does(messagesApi.markDelivered, { chatRoomId, seq: 3 })
  await hers.hears('receipt', ({ data }) => data.deliveredSeq === 3)
  await bob.does(messagesApi.markRead, { chatRoomId })
  expect((await heard(hers, 'receipt')).filter(({ data }) => 'readSeq' in data && data.readSeq > 0)).toEqual([])
  expect((await alice.does(roomsApi.list, { since: last })).rooms).toMatchObject([{ people: [{ readSeq: 0, deliveredSeq: 3 }] }])
})

test('whoever hides all of it shows nothing by blocking, unblocking or removing somebody either', async () => {
  const { alice, bob } = await pair()
  const [hers] = [await opens(alice), await opens(bob)]
  await hers.hears('presence', ({ data }) => data.isOnline)
  await switches(bob, { presence: false, lastSeen: false })
  await hers.hears('contacts')
  const count = (await heard(hers, 'presence')).length
  const [contact] = await bob.contacts()
  const contactId = contact?.id ?? ''
  for (const call of [contactsApi.block, contactsApi.unblock, contactsApi.remove]) await bob.does(call, { contactId })
  expect(await heard(hers, 'presence')).toHaveLength(count)
  expect(await sees(alice)).toEqual({ isOnline: false, lastSeen: null })
})

test('a switch that shows Alice nothing else is no news for her, at the moment or later: neither a frame nor a row', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const nothing = { presence: false, lastSeen: false, typing: false, receipts: false }
  const [hers] = [await opens(alice), await opens(bob)]
  await hers.hears('presence', ({ data }) => data.isOnline)
  const { seq } = await alice.says(chatRoomId, 'have you read it?')
  await bob.does(messagesApi.markRead, { chatRoomId, seq })
  for (const who of [alice, bob]) await switches(who, nothing)
  const [counter, count] = [await counterOf(alice), (await heard(hers, 'contacts', 'presence')).length]
  const isSilent = async () =>
    expect(await alice.does(roomsApi.list, { since: counter })).toEqual({
      ...{ rooms: [], removed: [], counter, more: false, before: null },
    })
  // Both hide all of it.
  for (const name of ['presence', 'lastSeen', 'typing', 'receipts'] as const)
    for (const isShown of [true, false]) {
      await switches(bob, { [name]: isShown })
      await isSilent()
    }
  // She shows her read marks: his are the one thing that she is told of.
  await switches(alice, { receipts: true })
  await switches(bob, { presence: true, lastSeen: true, typing: true })
  await isSilent()
  expect(await heard(hers, 'contacts', 'presence')).toHaveLength(count)
  await switches(bob, { receipts: true })
  await hers.hears('contacts')
  expect((await alice.does(roomsApi.list, { since: counter })).rooms).toMatchObject([{ people: [{ readSeq: seq }] }])
})

test('an accepted request stays accepted on screen, however little the person shows', async () => {
  const { alice, bob } = await pair()
  const carol = await world.person('carol')
  await switches(bob, { presence: false, lastSeen: false, typing: false, receipts: false })
  await alice.adds(carol)
  const { rooms } = await alice.does(roomsApi.list, {})
  const answered = Object.fromEntries(rooms.map(({ people, direct }) => [people[0]?.username, direct?.hasAnswered]))
  expect(answered).toEqual({ [bob.username]: true, [carol.username]: false })
  const [request] = await carol.contacts()
  await carol.does(contactsApi.decline, { contactId: request?.id ?? '' })
  expect((await alice.contacts()).find(({ contactUserId }) => contactUserId === carol.id)).toMatchObject({ hasAnswered: false })
})

test('Eve switches for herself alone, and sees no more by switching on; nobody hears of a switch that stays', async () => {
  const { alice, bob } = await pair()
  const eve = await world.person('eve')
  await eve.adds(bob)
  const [hers, eves] = [await opens(alice), await opens(eve)]
  await opens(bob)
  await hers.hears('presence', ({ data }) => data.isOnline)
  await switches(bob, { presence: false })
  await hers.hears('contacts')
  await switches(bob, { presence: false })
  await opens(bob)
  const sent: Record<string, unknown> = { presence: true, userId: bob.id, id: bob.id, showsPresence: true }
  expect(await eve.does(privacyApi.update, sent)).toEqual({ presence: true, lastSeen: true, typing: true, receipts: true })
  expect(await bob.does(accountApi.user, {})).toMatchObject({ privacy: { presence: false } })
  expect(await sees(alice)).toMatchObject({ isOnline: false })
  expect(await sees(eve)).toEqual({ isOnline: false, lastSeen: null })
  expect(await heard(eves, 'contacts', 'presence', 'account')).toEqual([])
  expect(await heard(hers, 'contacts')).toHaveLength(1)
  for (const presence of ['yes', 1, null]) expect((await eve.tries(privacyApi.update, { presence })).status).toBe(400)
})
