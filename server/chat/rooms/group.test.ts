import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { creation, following, plantGroup, random, sealed } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function group() {
  const { alice, bob, carol, eve } = await world.people()
  return { alice, bob, carol, eve, chatRoomId: await plantGroup(world, alice, bob, carol) }
}

const statusFor = async (who: Person, chatRoomId: string) => {
  const [message] = await who.does(messagesApi.list, { chatRoomId })
  return message?.deliveryStatus
}

const unreadOf = async (who: Person) => (await who.does(notificationsApi.unreadCount, {})).count

test('what Alice writes to a group reaches everyone in it, also whoever declined to be her contact', async () => {
  const { alice, bob, carol, eve, chatRoomId } = await group()
  await alice.adds(bob)
  const [request] = await bob.contacts()
  await bob.does(contactsApi.decline, { contactId: request?.id ?? '' })
  const [bobs, carols, eves] = await Promise.all([bob, carol, eve].map((each) => each.opensSocket()))
  const { seq } = await alice.says(chatRoomId, 'hello everyone')
  for (const line of [bobs, carols]) expect((await line?.hears('message'))?.data).toMatchObject({ seq, chatRoomId })
  expect([await unreadOf(bob), await unreadOf(carol), await unreadOf(alice), await unreadOf(eve)]).toEqual([1, 1, 0, 0])
  expect(eves?.frames.map(({ type }) => type)).toEqual(['hello'])
})

test('writing to a group accepts nobody: the request of a member stays open', async () => {
  const { alice, bob, chatRoomId } = await group()
  await bob.adds(alice)
  await alice.says(chatRoomId, 'hello everyone')
  expect((await alice.contacts()).map(({ state }) => state)).toEqual(['pending'])
  const [request] = await alice.contacts()
  await alice.says(request?.chatRoomId ?? '', 'hello Bob')
  expect((await alice.contacts()).map(({ state }) => state)).toEqual(['accepted'])
})

test('a message to a group is read when everyone has read it, and its count falls for whoever did', async () => {
  const { alice, bob, carol, chatRoomId } = await group()
  const { seq } = await alice.says(chatRoomId, 'one')
  await bob.does(messagesApi.markRead, { chatRoomId, seq })
  expect(await statusFor(alice, chatRoomId)).toBe('sent')
  await carol.does(messagesApi.markDelivered, { chatRoomId, seq })
  expect(await statusFor(alice, chatRoomId)).toBe('delivered')
  expect([await unreadOf(bob), await unreadOf(carol)]).toEqual([0, 1])
  await carol.does(messagesApi.markRead, { chatRoomId, seq })
  expect(await statusFor(alice, chatRoomId)).toBe('read')
})

test('whoever creates the group gets a key package of everyone, and seals an archive key to everyone', async () => {
  const { alice, bob, carol, chatRoomId } = await group()
  const { packages } = await alice.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  expect(packages.map(({ userId }) => userId).sort()).toEqual([bob.id, carol.id].sort())
  const first = creation(chatRoomId)
  const manifestVersions = Object.fromEntries([alice, bob, carol].map(({ id }) => [id, 1]))
  const archiveKeys = [alice, bob, carol].map(({ id }) => ({
    ...{ userId: id, groupId: first.groupId, epoch: 1, historyKeyId: 1, sealed: random() },
  }))
  const behind = { ...manifestVersions, [carol.id]: 0 }
  const stale = await alice.tries(roomsApi.commit, { ...first, archiveKeys, manifestVersions: behind })
  expect(stale).toBeRefused(409, 'stale_manifest')
  expect(stale.body).toMatchObject({ details: { manifestVersions } })
  await alice.does(roomsApi.commit, { ...first, archiveKeys, manifestVersions })
  for (const who of [alice, bob, carol]) {
    const { keys } = await who.does(roomsApi.archiveKeys, { chatRoomId, groupId: first.groupId, epochs: '1' })
    expect(keys.map(({ userId }) => userId)).toEqual([who.id])
  }
  await carol.does(roomsApi.commit, { ...following(first), manifestVersions })
  expect(await bob.posts(chatRoomId, sealed(first.groupId, 1))).toBeRefused(409, 'stale_epoch')
  await bob.says(chatRoomId, sealed(first.groupId, 2))
})

test('members of a group find the manifests of each other without being contacts, and see who types', async () => {
  const { alice, bob, carol, eve, chatRoomId } = await group()
  expect(await carol.does(devicesApi.manifest, { userId: bob.id })).toMatchObject({ userId: bob.id, version: 1 })
  expect(await eve.tries(devicesApi.manifest, { userId: bob.id })).toBeRefused(404)
  const [alices, bobs, carols] = await Promise.all([alice, bob, carol].map((each) => each.opensSocket()))
  alices?.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  for (const line of [bobs, carols]) expect((await line?.hears('typing'))?.data).toMatchObject({ chatRoomId, userId: alice.id })
})

test('Eve, a contact of every member, gets nothing from their group and into it, and does not learn that it exists', async () => {
  const { alice, bob, carol, eve, chatRoomId } = await group()
  for (const each of [alice, bob, carol]) await eve.talksTo(each)
  const first = creation(chatRoomId)
  const tries: [string, Promise<unknown>][] = [
    ['write', eve.posts(chatRoomId, 'let me in')],
    ['read', eve.tries(messagesApi.list, { chatRoomId })],
    ['follow', eve.tries(roomsApi.log, { chatRoomId })],
    ['join', eve.tries(roomsApi.group, { chatRoomId })],
    ['claim', eve.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })],
    ['commit', eve.tries(roomsApi.commit, { ...first, manifestVersions: { [eve.id]: 1 } })],
  ]
  for (const [what, answer] of tries) expect(await answer, what).toBeRefused(404, 'not_found')
})

test('a group goes on when a member deletes the account, nothing is sealed to devices that are gone, and the last one takes it along', async () => {
  const { alice, bob, carol, chatRoomId } = await group()
  const direct = await carol.talksTo(alice)
  await carol.says(chatRoomId, 'goodbye')
  const first = { ...creation(chatRoomId), manifestVersions: Object.fromEntries([alice, bob, carol].map(({ id }) => [id, 1])) }
  await alice.does(roomsApi.commit, first)
  await bob.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })
  const deletes = (who: Person) => who.does(accountApi.remove, { password: who.authSecret, kdf: 1 })
  await deletes(carol)
  expect(await alice.posts(direct, 'are you there?')).toBeRefused(403, 'account_deleted')
  const [goodbye] = await bob.does(messagesApi.list, { chatRoomId })
  expect(goodbye).toMatchObject({ senderId: carol.id, content: 'goodbye' })
  const stale = await alice.posts(chatRoomId, sealed(first.groupId, 1))
  expect(stale).toBeRefused(409, 'stale_epoch')
  expect(stale.body).toMatchObject({ details: { needsCommit: true, manifestVersions: { [alice.id]: 1, [bob.id]: 1 } } })
  // Bob claimed before Carol left. He claims again and gets the same packages.
  const { packages } = await bob.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })
  expect(packages.map(({ userId }) => userId)).toEqual([alice.id])
  const second = { ...creation(chatRoomId, 2), manifestVersions: { [alice.id]: 1, [bob.id]: 1 } }
  await bob.does(roomsApi.commit, second)
  await alice.says(chatRoomId, sealed(second.groupId, 1))
  await deletes(alice)
  await deletes(bob)
  expect(await world.sql('select id from chat_rooms where id = $1', [chatRoomId])).toEqual([])
})
