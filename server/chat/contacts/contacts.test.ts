import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function someone(): Promise<Person> {
  const person = await world.person('someone')
  await world.sql("update users set profile_image_url = '/face' where id = $1", [person.id])
  return person
}
const pair = async (): Promise<[Person, Person]> => [await someone(), await someone()]

test('Alice adds Bob: she has a contact, he has a request, both hear of it', async () => {
  const [alice, bob] = await pair()
  const [hers, his] = await Promise.all([alice.opensSocket(), bob.opensSocket()])
  const added = await alice.does(contactsApi.add, { username: bob.username.toUpperCase() })
  expect(added).toMatchObject({ state: 'accepted', contactUserId: bob.id, unreadCount: 0, lastMessage: null, lastSeq: 0 })
  expect(added.chatRoomId).toBe(`dm_${[alice.id, bob.id].sort().join('_')}`)
  for (const line of [hers, his]) expect((await line.hears('contacts')).data).toEqual({ userIds: [alice.id, bob.id] })
  expect(await bob.contacts()).toMatchObject([{ state: 'pending', contactUserId: alice.id, chatRoomId: added.chatRoomId }])
  hers.hangsUp()
  his.hangsUp()
})

test('Bob declines Alice: his other pages hear whose request is gone, and she hears nothing', async () => {
  const [alice, bob] = await pair()
  await alice.adds(bob)
  const [hers, his] = await Promise.all([alice.opensSocket(), bob.opensSocket()])
  const [request] = await bob.contacts()
  await bob.does(contactsApi.decline, { contactId: request?.id ?? '' })
  expect((await his.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  hers.says({ type: 'ping', data: {} })
  await hers.hears('pong')
  expect(hers.frames.map(({ type }) => type)).not.toContain('contacts')
  hers.hangsUp()
  his.hangsUp()
})

test('nobody sees presence, last seen or photo before both accepted', async () => {
  const [alice, bob] = await pair()
  await world.sql('update presence set last_seen = now() where user_id = any ($1)', [[alice.id, bob.id]])
  const line = await bob.opensSocket()
  await expect
    .poll(async () => await world.sql("select nodes <> '{}' as is_online from presence where user_id = $1", [bob.id]))
    .toEqual([{ is_online: true }])
  const hidden = { isOnline: false, lastSeen: null, profileImageUrl: null }
  expect((await alice.adds(bob)).contactUser).toMatchObject(hidden)
  const [request] = await bob.contacts()
  expect(request?.contactUser).toMatchObject(hidden)
  await bob.does(contactsApi.accept, { contactId: request?.id ?? '' })
  expect((await alice.contacts())[0]?.contactUser).toMatchObject({
    isOnline: true,
    profileImageUrl: '/face',
    lastSeen: expect.any(String),
  })
  line.hangsUp()
})

test('presence frames go to mutual contacts only', async () => {
  const [alice, bob] = await pair()
  const eve = await someone()
  await alice.talksTo(bob)
  await eve.adds(bob)
  const [hers, eves] = await Promise.all([alice.opensSocket(), eve.opensSocket()])
  const first = await bob.opensSocket()
  const second = await bob.opensSocket()
  expect((await hers.hears('presence')).data).toEqual({ userId: bob.id, isOnline: true, lastSeen: null })
  first.hangsUp()
  await first.closed
  second.hangsUp()
  expect((await hers.hears('presence', (each) => !each.data.isOnline)).data.lastSeen).toEqual(expect.any(String))
  expect(hers.frames.filter((frame) => frame.type === 'presence')).toHaveLength(2)
  expect(eves.frames.filter((frame) => frame.type === 'presence')).toHaveLength(0)
  hers.hangsUp()
  eves.hangsUp()
})

test('whoever was asked and has not answered hears nothing of the asker coming and going', async () => {
  const [alice, bob] = await pair()
  const carol = await someone()
  await alice.talksTo(bob)
  await carol.adds(bob)
  const his = await bob.opensSocket()
  const hers = await carol.opensSocket()
  await expect
    .poll(() => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [carol.id]))
    .toEqual([{ here: true }])
  hers.hangsUp()
  await expect
    .poll(() => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [carol.id]))
    .toEqual([{ here: false }])
  // Presence is written and told in turn: what Alice does comes after Carol.
  const last = await alice.opensSocket()
  await his.hears('presence', ({ data }) => data.userId === alice.id)
  expect(his.frames.filter(({ type }) => type === 'presence')).toHaveLength(1)
  his.hangsUp()
  last.hangsUp()
})

test('two who add each other at the same moment are contacts at once, without a deadlock', async () => {
  for (let round = 0; round < 5; round++) {
    const [alice, bob] = await pair()
    const answers = await Promise.all(
      [alice, bob, alice, bob].map((each) =>
        each.tries(contactsApi.add, { username: each === alice ? bob.username : alice.username }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 409, 409])
    expect((await alice.contacts())[0]?.state).toBe('accepted')
    expect((await bob.contacts())[0]?.state).toBe('accepted')
  }
})

test('every way of not finding someone has its name', async () => {
  const [alice, bob] = await pair()
  const gone = await someone()
  await world.sql('update users set is_active = false where id = $1', [gone.id])
  const { onionAddress } = await bob.does(accountApi.user, {})
  const adds = async (who: { username?: string; onionAddress?: string }) => (await alice.tries(contactsApi.add, who)).code
  expect(await adds({ username: 'nobody_at_all' })).toBe('user_not_found')
  expect(await adds({ username: gone.username })).toBe('user_not_found')
  expect(await adds({ username: alice.username })).toBe('cannot_add_self')
  expect(await adds({ onionAddress: `${'a'.repeat(56)}.onion` })).toBe('invalid_onion_address')
  expect(await adds({ onionAddress: (onionAddress ?? '').replace(/^./, (letter) => (letter === 'a' ? 'b' : 'a')) })).toBe(
    'invalid_onion_address',
  )
  expect(await adds({})).toBe('invalid_input')
  expect(await adds({ username: 'a', onionAddress: 'b' })).toBe('invalid_input')
  expect(await adds({ onionAddress: ` ${onionAddress?.toUpperCase()} ` })).toBeUndefined()
  expect(await adds({ username: bob.username })).toBe('already_contact')
})

test('a declined request leaves the list, its sender is not told and cannot ask again; adding back revives it', async () => {
  const [alice, bob] = await pair()
  const { chatRoomId } = await alice.adds(bob)
  const [request] = await bob.contacts()
  await bob.does(contactsApi.decline, { contactId: request?.id ?? '' })
  expect(await bob.contacts()).toEqual([])
  const line = await bob.opensSocket()
  await alice.says(chatRoomId, 'are you there?')
  expect(await alice.tries(contactsApi.add, { username: bob.username })).toMatchObject({ code: 'already_contact' })
  expect(await bob.contacts()).toEqual([])
  expect(line.frames.map((frame) => frame.type)).toEqual(['hello'])
  expect(await bob.adds(alice)).toMatchObject({ state: 'accepted', unreadCount: 1, lastMessage: { content: 'are you there?' } })
  line.hangsUp()
})

test('who is removed is not told, sees no presence any more, and comes back as a request by writing', async () => {
  const [alice, bob] = await pair()
  // A photo that goes is told: server/chat/files/files.test.ts.
  await world.sql('update users set profile_image_url = null where id = $1', [alice.id])
  const chatRoomId = await alice.talksTo(bob)
  const [hers, his] = await Promise.all([alice.opensSocket(), bob.opensSocket()])
  const [contact] = await alice.contacts()
  const contactId = contact?.id ?? ''
  expect(await bob.tries(contactsApi.remove, { contactId })).toBeRefused(404, 'not_found')
  await alice.does(contactsApi.remove, { contactId })
  expect((await hers.hears('contacts')).data).toEqual({ userIds: [bob.id] })
  expect(await alice.contacts()).toEqual([])
  expect(await alice.tries(contactsApi.remove, { contactId })).toBeRefused(404, 'not_found')
  expect(await bob.contacts()).toMatchObject([{ state: 'accepted', contactUser: { isOnline: false, lastSeen: null } }])
  his.says({ type: 'ping', data: {} })
  await his.hears('pong')
  expect(his.frames.map(({ type }) => type)).not.toContain('contacts')
  await bob.says(chatRoomId, 'are you there?')
  await expect.poll(() => alice.contacts()).toMatchObject([{ state: 'pending', contactUserId: bob.id, unreadCount: 1 }])
  hers.hangsUp()
  his.hangsUp()
})

test('a block outlives the removal of the blocked person', async () => {
  const [alice, bob] = await pair()
  await alice.talksTo(bob)
  await world.sql('update contacts set is_blocked = true where user_id = $1', [alice.id])
  const [contact] = await alice.contacts()
  await alice.does(contactsApi.remove, { contactId: contact?.id ?? '' })
  expect(await alice.contacts()).toEqual([])
  expect(await world.sql('select is_blocked, state from contacts where user_id = $1', [alice.id])).toEqual([
    { is_blocked: true, state: 'declined' },
  ])
  expect(await bob.contacts()).toHaveLength(1)
})

test('A request that Bob ignored by mistake comes back as it was, Alice hears nothing, and Eve can bring nothing back', async () => {
  const [alice, bob] = await pair()
  const eve = await someone()
  const { chatRoomId } = await alice.adds(bob)
  const [request] = await bob.contacts()
  const contactId = request?.id ?? ''
  await bob.does(contactsApi.decline, { contactId })
  const [hers, his] = await Promise.all([alice.opensSocket(), bob.opensSocket()])
  for (const other of [alice, eve]) expect(await other.tries(contactsApi.restore, { contactId })).toBeRefused(404)
  expect(await bob.does(contactsApi.restore, { contactId })).toMatchObject({ state: 'pending', chatRoomId })
  expect((await his.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  expect(await bob.contacts()).toMatchObject([{ state: 'pending', contactUserId: alice.id }])
  hers.says({ type: 'ping', data: {} })
  await hers.hears('pong')
  expect(hers.frames.map(({ type }) => type)).not.toContain('contacts')
  // A contact is no declined request.
  await bob.does(contactsApi.accept, { contactId })
  expect(await bob.tries(contactsApi.restore, { contactId })).toBeRefused(404)
  hers.hangsUp()
  his.hangsUp()
})

test("Eve cannot accept or decline someone else's request", async () => {
  const [alice, bob] = await pair()
  const eve = await someone()
  await alice.adds(bob)
  const [request] = await bob.contacts()
  for (const contactId of [request?.id ?? '', randomUUID()]) {
    expect(await eve.tries(contactsApi.accept, { contactId })).toMatchObject({ status: 404, code: 'not_found' })
    expect(await eve.tries(contactsApi.decline, { contactId })).toMatchObject({ status: 404, code: 'not_found' })
    expect(await alice.tries(contactsApi.accept, { contactId })).toMatchObject({ status: 404, code: 'not_found' })
  }
  expect((await bob.contacts())[0]?.state).toBe('pending')
})

test('the newest chat stands first, with its last message, ticks and counters', async () => {
  const [alice, bob] = await pair()
  const carol = await someone()
  const withBob = await alice.talksTo(bob)
  await alice.talksTo(carol)
  expect((await alice.contacts()).map((row) => row.contactUserId)).toEqual([carol.id, bob.id])
  await bob.says(withBob, 'first')
  await bob.says(withBob, 'second')
  const [row] = await alice.contacts()
  expect(row).toMatchObject({
    contactUserId: bob.id,
    lastMessage: { content: 'second', seq: 2, senderId: bob.id, deliveryStatus: 'sent', messageType: 'text', fileName: null },
    unreadCount: 2,
    hasUnreadNotifications: true,
    lastSeq: 2,
    readSeq: 0,
    theirReadSeq: 2,
  })
  expect((await bob.contacts())[0]?.lastMessage?.deliveryStatus).toBe('sent')
})

test('a program that reads the list gets a line of a plain text, and no part of a sealed one, which it could not open', async () => {
  const [alice, bob] = await pair()
  const room = await alice.talksTo(bob)
  await bob.says(room, 'x'.repeat(LIMITS.previewChars + 1))
  expect((await alice.contacts())[0]?.lastMessage?.content).toBe('x'.repeat(LIMITS.previewChars))
  await world.sql('update messages set is_encrypted = true where room = (select number from chat_rooms where id = $1)', [room])
  expect((await alice.contacts())[0]?.lastMessage).toMatchObject({ content: '', seq: 1, messageType: 'text' })
})

test('the list has the fields of the contract and no others, whatever stands in them, and a row of it is that row alone', async () => {
  const [alice, bob, carol] = [await someone(), await someone(), await someone()]
  const room = await alice.talksTo(bob)
  await alice.adds(carol)
  const odd = 'a "quote", a \\ and a line\n, Ünïcödé and 😀'
  await world.sql('update users set display_name = $1 where id = $2', [odd, bob.id])
  const said = await bob.says(room, odd)
  const { body } = await alice.request('GET', contactsApi.list.path)
  const list = contactsApi.list.output.parse(body)
  expect(body).toEqual(list)
  expect(list).toMatchObject([
    {
      ...{ contactUserId: bob.id, contactUser: { displayName: odd, isDeleted: false, manifestVersion: 1 }, unreadCount: 1 },
      lastMessage: {
        id: said.id,
        content: odd,
        createdAt: said.createdAt,
        senderId: bob.id,
        deliveryStatus: 'sent',
        fileName: null,
      },
    },
    { contactUserId: carol.id, lastMessage: null, unreadCount: 0, hasUnreadNotifications: false },
  ])
  expect(list[0]?.contactUser.identityKey).toBe(bob.identity.manifest.identityKey)
  expect(await alice.does(contactsApi.accept, { contactId: list[0]?.id ?? '' })).toEqual(list[0])
  const stranger = await someone()
  expect((await stranger.request('GET', contactsApi.list.path)).body).toEqual([])
})
