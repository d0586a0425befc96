import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { reportsApi } from '../../../contract/chat/reports.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { everyEndpoint } from '../../../contract/every.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import type { Browser } from '../../testing/browser.ts'
import { creation, following, random, sealed } from '../../testing/group.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** A session of the same browser that did not verify: it has the browser's leaf key. */
async function sittingDown(person: Person): Promise<Browser> {
  const browser = await person.elsewhere()
  await browser.proves(person.deviceId)
  return browser
}

/** Alice and Bob in a sealed room; Alice's chat has a password. Eve sits at her other, open browser. */
async function locked() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  const group = creation(chatRoomId)
  const { groupId } = group
  const historyKeyId = alice.identity.manifest.historyKeyId
  const archiveKeys = [{ userId: alice.id, groupId, epoch: 1, historyKeyId, sealed: random() }]
  await alice.does(roomsApi.commit, { ...group, archiveKeys })
  await bob.says(chatRoomId, sealed(groupId, 1))
  const mine = await alice.says(chatRoomId, sealed(groupId, 1))
  const password = newAuthSecret()
  await alice.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
  await alice.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  return { alice, bob, eve: await sittingDown(alice), chatRoomId, contactId, group, groupId, historyKeyId, mine, password }
}
type Scene = Awaited<ReturnType<typeof locked>>

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** Calls that name a room and give or take nothing that is said there: they work in a locked chat. */
const HARMLESS = [
  nameOf(notificationsApi.mute),
  nameOf(notificationsApi.unmute),
  // Needs the account's keys, and clears what the password has kept back.
  nameOf(chatLocksApi.giveUp),
]

/** Input that would be good of every other one. */
const INPUTS: Record<string, (scene: Scene) => Record<string, unknown>> = {
  'GET /api/messages': () => ({}),
  'POST /api/messages': ({ groupId }) => ({ content: sealed(groupId, 1), messageType: 'text' }),
  'POST /api/messages/:chatRoomId/mark-read': () => ({}),
  'POST /api/messages/:chatRoomId/mark-delivered': () => ({ seq: 3 }),
  'GET /api/rooms/:chatRoomId/group': () => ({}),
  'GET /api/rooms/:chatRoomId/log': () => ({}),
  'POST /api/rooms/:chatRoomId/commits': ({ group }) => following(group),
  'POST /api/rooms/:chatRoomId/key-packages': () => ({ generation: 2 }),
  'GET /api/rooms/:chatRoomId/archive-keys': ({ groupId }) => ({ groupId, epochs: '1' }),
  'POST /api/rooms/:chatRoomId/archive-keys': ({ alice, groupId, historyKeyId }) => ({
    keys: [{ userId: alice.id, groupId, epoch: 1, historyKeyId, sealed: random() }],
  }),
  'PUT /api/rooms/:chatRoomId/group-info': ({ groupId }) => ({ groupId, epoch: 1, groupInfo: random() }),
  'GET /api/rooms/:chatRoomId/archive-keys/all': () => ({}),
  'GET /api/rooms/:chatRoomId/archive-pages': () => ({}),
  'GET /api/rooms/:chatRoomId/archive-pages/:number': () => ({ number: 0 }),
  'PUT /api/rooms/:chatRoomId/archive-pages/:number': ({ groupId }) => ({
    ...{ number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [{ groupId, epoch: 1 }] },
  }),
}

const ofRooms = everyEndpoint.filter(({ path, input }) => path.includes(':chatRoomId') || 'chatRoomId' in shapeOf(input))
function shapeOf(input: Endpoint['input']): object {
  const { shape } = input as { shape?: object }
  return shape ?? {}
}

test('every call that names a room has its attack here', () => {
  expect(ofRooms.length).toBeGreaterThan(15)
  expect(
    ofRooms
      .map(nameOf)
      .filter((name) => !HARMLESS.includes(name))
      .sort(),
  ).toEqual(Object.keys(INPUTS).sort())
})

test("at Alice's open browser, with its leaf key, Eve is refused a locked chat at every door, and enters nothing", async () => {
  const scene = await locked()
  const { alice, eve, chatRoomId } = scene
  for (const endpoint of ofRooms) {
    const input = INPUTS[nameOf(endpoint)]?.(scene)
    if (!input) continue
    expect([nameOf(endpoint), await eve.tries(endpoint, { chatRoomId, ...input })]).toMatchObject([
      nameOf(endpoint),
      { status: 403, code: 'chat_locked' },
    ])
  }
  const { lastSeq, entries } = await alice.does(roomsApi.log, { chatRoomId })
  expect([lastSeq, entries.map(({ kind }) => kind)]).toEqual([3, ['commit', 'message', 'message']])
  expect(await alice.does(roomsApi.group, { chatRoomId })).toMatchObject({ epoch: 1, groupInfo: scene.group.groupInfo })
  // The same calls do what they say for the session that has opened the chat, so what was refused was the lock's doing.
  for (const endpoint of ofRooms) {
    const input = INPUTS[nameOf(endpoint)]?.(scene)
    if (!input || endpoint === roomsApi.commit || endpoint === archiveApi.page) continue
    expect([nameOf(endpoint), (await alice.tries(endpoint, { chatRoomId, ...input })).status]).toEqual([nameOf(endpoint), 200])
  }
})

test('a message that is sent again is not handed out either, nor is one over the socket', async () => {
  const { alice, eve, chatRoomId, mine, groupId } = await locked()
  const again = { chatRoomId, id: mine.id, content: mine.content, messageType: 'text' as const }
  expect((await alice.does(messagesApi.send, again)).seq).toBe(mine.seq)
  expect(await eve.tries(messagesApi.send, again)).toBeRefused(403, 'chat_locked')
  const socket = await eve.opensSocket()
  for (const data of [again, { ...again, id: randomUUID(), content: sealed(groupId, 1) }]) {
    socket.says({ type: 'message', data })
    expect((await socket.hears('refused')).data).toMatchObject({ code: 'chat_locked', id: data.id })
  }
  socket.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  expect((await socket.hears('refused')).data.code).toBe('chat_locked')
  // Of an account whose plan has ended, a known message is answered by another way.
  await world.sql("update users set subscription_end_date = '2020-01-01' where id = $1", [alice.id])
  expect(await eve.tries(messagesApi.send, again)).toBeRefused(403, 'chat_locked')
  socket.hangsUp()
})

test('of what comes meanwhile a locked browser hears that its row has changed, and an open one hears it', async () => {
  const { alice, bob, eve, chatRoomId, contactId, group, groupId } = await locked()
  const [open, shut] = [await alice.opensSocket(), await eve.opensSocket()]
  const said = await bob.says(chatRoomId, sealed(groupId, 1))
  expect((await open.hears('message')).data.id).toBe(said.id)
  expect((await shut.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  const own = await alice.says(chatRoomId, sealed(groupId, 1))
  expect((await open.hears('message')).data.id).toBe(own.id)
  expect((await shut.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  const before = await alice.does(roomsApi.group, { chatRoomId })
  await bob.does(roomsApi.commit, { ...following(group), epoch: before.epoch })
  await open.hears('commit')
  expect((await shut.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  const bobs = await bob.opensSocket()
  bobs.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  await open.hears('typing')
  await alice.does(chatLocksApi.lock, { contactId })
  await bob.says(chatRoomId, sealed(groupId, 2))
  await shut.hears('contacts', () => true)
  await bob.does(messagesApi.markRead, { chatRoomId })
  await shut.hears('receipt')
  // 'account' tells of the sign-ins above, and may come late.
  const OTHERS = ['hello', 'contacts', 'presence', 'account']
  expect(shut.frames.map(({ type }) => type).filter((type) => !OTHERS.includes(type))).toEqual(['receipt'])
  expect(open.frames.filter(({ type }) => type === 'message')).toHaveLength(2)
  for (const socket of [open, shut, bobs]) socket.hangsUp()
})

test('place, time and count are all that a locked chat shows in the lists, and the numbers stay equal', async () => {
  const { alice, bob, eve, chatRoomId, contactId, groupId } = await locked()
  const said = await bob.says(chatRoomId, sealed(groupId, 1))
  const [row] = (await eve.does(roomsApi.list, {})).rooms
  expect(row).toMatchObject({
    isPasswordProtected: true,
    isLocked: true,
    lastMessage: null,
    lastMessageAt: said.createdAt,
    lastSeq: 4,
  })
  const [contact] = await eve.does(contactsApi.list, {})
  expect(contact).toMatchObject({ isPasswordProtected: true, isLocked: true, lastMessage: null, unreadCount: row?.unreadCount })
  const { notifications } = await eve.does(notificationsApi.list, {})
  expect(notifications).toHaveLength(row?.unreadCount ?? 0)
  expect((await eve.does(notificationsApi.unreadCount, {})).count).toBe(row?.unreadCount)
  for (const each of notifications) expect(each).toMatchObject({ messageId: null, type: 'new_message' })
  const everything = JSON.stringify([row, contact, notifications, await eve.does(roomsApi.list, { ids: chatRoomId })])
  expect(everything).not.toContain(said.id)
  // Nobody marks as read what they could not read: Bob would be told so.
  await eve.does(notificationsApi.read, { rooms: [{ chatRoomId, seq: 4 }] })
  expect((await eve.does(notificationsApi.unreadCount, {})).count).toBe(row?.unreadCount)
  expect(await eve.tries(contactsApi.clearChat, { contactId })).toBeRefused(403, 'chat_locked')
  const report = { contactId, id: randomUUID(), category: 'spam', text: '', messages: [{ seq: 2, text: 'x' }] }
  expect(await eve.tries(reportsApi.send, report)).toBeRefused(403, 'chat_locked')
  const [hers] = (await alice.does(roomsApi.list, {})).rooms
  expect(hers).toMatchObject({ isLocked: false, lastMessageAt: null, lastMessage: { id: said.id } })
})

test('Eve takes the contact away and adds it again: the password is gone, and with it all that it has kept', async () => {
  const { alice, bob, eve, chatRoomId, contactId } = await locked()
  await alice.does(archiveApi.putPage, { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [] })
  await eve.does(contactsApi.remove, { contactId })
  await eve.does(contactsApi.add, { username: bob.username })
  expect(await eve.does(contactsApi.list, {})).toMatchObject([{ isPasswordProtected: false, lastMessage: null, clearedSeq: 3 }])
  const { entries } = await eve.does(roomsApi.log, { chatRoomId })
  expect(entries.map(({ kind }) => kind)).toEqual(['commit', 'withheld', 'withheld'])
  expect(await eve.does(archiveApi.pages, { chatRoomId })).toEqual({ pages: [] })
  // A block keeps the contact's row, and must not keep the chat open with it.
  const other = await locked()
  const blocked = { contactId: other.contactId }
  await other.eve.does(contactsApi.block, blocked)
  await other.eve.does(contactsApi.remove, blocked)
  await other.eve.does(contactsApi.add, { username: other.bob.username })
  expect((await other.eve.does(roomsApi.log, { chatRoomId: other.chatRoomId })).entries.map(({ kind }) => kind)).not.toContain(
    'message',
  )
  expect((await bob.does(roomsApi.log, { chatRoomId })).entries.map(({ kind }) => kind)).toEqual(['commit', 'message', 'message'])
})

test('a forgotten password is given up with a way in alone, and the history of this side goes with it', async () => {
  const { alice, bob, eve, chatRoomId, contactId, groupId } = await locked()
  await alice.does(archiveApi.putPage, { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [] })
  expect(await eve.tries(chatLocksApi.giveUp, { contactId, chatRoomId })).toBeRefused(403, 'order_required')
  const order = random(64)
  expect(await eve.tries(chatLocksApi.giveUp, { contactId, chatRoomId, order })).toBeRefused(400, 'invalid_signature')
  expect((await eve.does(contactsApi.list, {}))[0]?.isLocked).toBe(true)
  await alice.does(chatLocksApi.lock, { contactId })
  // Another room than the order names.
  expect(await alice.tries(chatLocksApi.giveUp, { contactId, chatRoomId: `dm_${alice.id}_${randomUUID()}` })).toBeRefused(
    404,
    'not_found',
  )
  expect(await alice.does(chatLocksApi.giveUp, { contactId, chatRoomId })).toEqual({ clearedSeq: 3 })
  for (const browser of [alice, eve]) {
    const { entries } = await browser.does(roomsApi.log, { chatRoomId })
    expect(entries.map(({ kind }) => kind)).toEqual(['commit', 'withheld', 'withheld'])
    expect(await browser.does(archiveApi.pages, { chatRoomId })).toEqual({ pages: [] })
  }
  await bob.says(chatRoomId, sealed(groupId, 1))
  expect(await alice.does(messagesApi.list, { chatRoomId })).toHaveLength(1)
  expect(await alice.tries(chatLocksApi.giveUp, { contactId, chatRoomId })).toBeRefused(404, 'not_found')
})

test('an archive page takes the seals of its epochs away with it, and of two browsers that write one the later is refused', async () => {
  const { alice, eve, chatRoomId, contactId, password, groupId, historyKeyId } = await locked()
  expect((await alice.does(archiveApi.keysLeft, { chatRoomId })).keys).toMatchObject([{ groupId, epoch: 1, historyKeyId }])
  await eve.does(chatLocksApi.verify, { contactId, password })
  const page = { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [{ groupId, epoch: 1 }] }
  const [one, other] = await Promise.all([
    alice.tries(archiveApi.putPage, page),
    eve.tries(archiveApi.putPage, { ...page, sealed: random() }),
  ])
  expect([one.status, other.status].sort()).toEqual([200, 409])
  expect(await alice.does(archiveApi.keysLeft, { chatRoomId })).toEqual({ keys: [], more: false })
  const { sealed: kept } = await alice.does(archiveApi.page, { chatRoomId, number: 0 })
  // An answer that was lost is asked for again.
  expect(await alice.does(archiveApi.putPage, { ...page, sealed: kept })).toEqual({})
  const next = { ...page, version: 2, sealed: random() }
  await alice.does(archiveApi.putPage, next)
  expect(await alice.tries(archiveApi.putPage, { ...next, version: 4 })).toBeRefused(409, 'stale_version')
  expect(await alice.does(archiveApi.pages, { chatRoomId })).toEqual({ pages: [{ ...ALONE, version: 2, historyKeyId: null }] })
  const many = Array.from({ length: 1001 }, (_, epoch) => ({ groupId, epoch }))
  expect(await alice.tries(archiveApi.putPage, { ...next, version: 3, epochs: many })).toBeRefused(400, 'invalid_input')
  expect(await alice.tries(archiveApi.putPage, { ...next, version: 3, epochs: [{ groupId, epoch: 7 }] })).toBeRefused(
    400,
    'invalid_input',
  )
  expect(await alice.tries(archiveApi.putPage, { ...next, version: 3, historyKeyId: historyKeyId + 1 })).toBeRefused(400)
  // Off: under the history key first, then the password goes and the pages stay.
  const off = { ...next, version: 3, historyKeyId, epochs: [] }
  await alice.does(archiveApi.putPage, off)
  await alice.does(chatLocksApi.remove, { contactId })
  expect((await alice.does(archiveApi.pages, { chatRoomId })).pages).toEqual([{ ...ALONE, version: 3, historyKeyId }])
  expect(await alice.tries(archiveApi.putPage, { ...next, version: 4 })).toBeRefused(400, 'invalid_input')
})

const ALONE = { number: 0, before: null }

test('One request of a stolen browser takes no chat’s past away: without a password there is no page, and with one two browsers must agree', async () => {
  const [alice, other] = [await world.person('alice'), await world.person('carol')]
  const stolen = await alice.addsBrowser()
  const chatRoomId = await alice.talksTo(other)
  const { groupId } = creation(chatRoomId)
  const manifestVersions = { [alice.id]: 2, [other.id]: 1 }
  const historyKeyId = alice.identity.manifest.historyKeyId
  const archiveKeys = [{ userId: alice.id, groupId, epoch: 1, historyKeyId, sealed: random() }]
  await alice.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  await alice.does(roomsApi.commit, { ...creation(chatRoomId), groupId, archiveKeys, manifestVersions })
  const seals = async (who: Browser = alice) => (await who.does(archiveApi.keysLeft, { chatRoomId })).keys.length
  const page = { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [{ groupId, epoch: 1 }] }
  const off = { ...page, historyKeyId }
  for (const draft of [page, off, { ...off, epochs: [] }])
    expect(await stolen.tries(archiveApi.putPage, draft)).toBeRefused(400, 'invalid_input')
  expect(await seals()).toBe(1)

  const [contact] = (await alice.contacts()).filter(({ chatRoomId: id }) => id === chatRoomId)
  const password = newAuthSecret()
  await alice.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
  await alice.does(chatLocksApi.set, { contactId: contact?.id ?? '', password, confirmPassword: password })
  await stolen.does(chatLocksApi.verify, { contactId: contact?.id ?? '', password })
  // The chat stays open for a while, and whoever entered the password is gone.
  world.passes(6 * 60)
  // Under the history key only behind a page of the seed, and without a seal that goes with it.
  expect(await stolen.tries(archiveApi.putPage, { ...off, epochs: [] })).toBeRefused(400, 'invalid_input')
  await stolen.does(archiveApi.putPage, page)
  expect(await stolen.tries(archiveApi.putPage, { ...off, version: 2 })).toBeRefused(400, 'invalid_input')
  expect([await seals(), await seals(stolen)]).toEqual([1, 0])
  expect((await alice.does(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: '1' })).keys).toHaveLength(1)
  const right = { ...page, version: 2, sealed: random() }
  await alice.does(archiveApi.putPage, right)
  expect((await alice.does(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: '1' })).keys).toEqual([])
  // Whatever one browser writes now, what the other wrote stays readable.
  for (const version of [3, 4]) await stolen.does(archiveApi.putPage, { ...page, version, sealed: random() })
  await stolen.does(archiveApi.putPage, { ...off, version: 5, epochs: [] })
  const head = { number: 0, version: 5, historyKeyId, before: { version: 2, historyKeyId: null } }
  expect((await alice.does(archiveApi.pages, { chatRoomId })).pages).toEqual([head])
  expect((await alice.does(archiveApi.page, { chatRoomId, number: 0, version: 2 })).sealed).toBe(right.sealed)
  await alice.does(archiveApi.putPage, { ...page, version: 6, sealed: random() })
  expect((await alice.does(archiveApi.pages, { chatRoomId })).pages[0]?.before).toMatchObject({ version: 5 })
  expect(
    await world.sql('select from archive_pages where room = (select number from chat_rooms where id = $1)', [chatRoomId]),
  ).toHaveLength(2)
  // Alice enters it once more: what a history key opens goes, and what the seed opens stays.
  await alice.does(chatLocksApi.verify, { contactId: contact?.id ?? '', password })
  await alice.does(archiveApi.putPage, { ...page, version: 7, sealed: random() })
  expect((await alice.does(archiveApi.pages, { chatRoomId })).pages).toEqual([{ ...ALONE, version: 7, historyKeyId: null }])
})

test('whoever has just entered a chat password leaves nothing at the server that a history key opens, with several browsers too', async () => {
  const { alice, chatRoomId, contactId, password, groupId } = await locked()
  await alice.addsBrowser()
  const page = { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [{ groupId, epoch: 1 }] }
  const seals = async () => (await alice.does(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: '1' })).keys.length
  world.passes(6 * 60)
  await alice.does(archiveApi.putPage, page)
  expect(await seals()).toBe(1)
  expect((await alice.does(archiveApi.keysLeft, { chatRoomId })).keys).toEqual([])
  await alice.does(chatLocksApi.verify, { contactId, password })
  expect((await alice.does(archiveApi.keysLeft, { chatRoomId })).keys).toHaveLength(1)
  await alice.does(archiveApi.putPage, { ...page, version: 2, sealed: random() })
  expect(await seals()).toBe(0)
})

test('an account that switches its history off has no archive pages left, and is given none', async () => {
  const { alice, chatRoomId } = await locked()
  const page = { chatRoomId, number: 0, historyKeyId: null, sealed: random(), epochs: [] }
  await alice.does(archiveApi.putPage, { ...page, version: 1 })
  await alice.changesKeys({ keepsHistory: false })
  expect(await alice.does(archiveApi.pages, { chatRoomId })).toEqual({ pages: [] })
  expect(await alice.does(archiveApi.putPage, { ...page, version: 1 })).toEqual({})
  expect(await alice.does(archiveApi.pages, { chatRoomId })).toEqual({ pages: [] })
})

test('removing a browser needs no chat password: the room waits for whoever sends next', async () => {
  const { alice, chatRoomId, contactId } = await locked()
  const other = await alice.addsBrowser()
  await alice.does(chatLocksApi.lock, { contactId })
  await alice.changesKeys({ removes: [other.deviceId] })
  expect(await world.sql('select needs_commit from chat_rooms where id = $1', [chatRoomId])).toEqual([{ needs_commit: true }])
  expect((await alice.does(devicesApi.list, {})).length).toBeGreaterThan(0)
})

test('when the account is deleted, nothing of its chat passwords stays', async () => {
  const { alice, chatRoomId } = await locked()
  await alice.does(archiveApi.putPage, { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [] })
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  for (const table of ['chat_locks', 'open_chats', 'archive_pages'])
    expect(await world.sql(`select * from ${table} where user_id = $1`, [alice.id])).toEqual([])
  expect(await world.sql('select is_protected from chat_participants where user_id = $1', [alice.id])).toEqual([
    { is_protected: false },
  ])
})
