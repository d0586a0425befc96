import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { type ArchiveKey, type CommitDraft, roomsApi } from '../../../contract/chat/rooms.ts'
import { creation, following, random } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function pair() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  const idOf = async (person: Person) => (await person.contacts())[0]?.id ?? ''
  return { alice, bob, chatRoomId, hers: await idOf(alice), his: await idOf(bob) }
}

const textsOf = async (person: Person, chatRoomId: string) =>
  (await person.does(messagesApi.list, { chatRoomId })).map(({ content }) => content)
const kindsOf = async (person: Person, chatRoomId: string) =>
  (await person.does(roomsApi.log, { chatRoomId })).entries.map(({ kind }) => kind)

test('after Alice has cleared the chat it is empty for her, in every browser, and Bob keeps his', async () => {
  const { alice, bob, chatRoomId, hers } = await pair()
  await bob.says(chatRoomId, 'one')
  await alice.says(chatRoomId, 'two')
  await bob.says(chatRoomId, 'three')
  const socket = await alice.opensSocket()
  expect(await alice.does(contactsApi.clearChat, { contactId: hers })).toEqual({ clearedSeq: 3 })
  await socket.hears('contacts', ({ data }) => data.userIds?.includes(bob.id) === true)
  socket.hangsUp()
  expect(await textsOf(alice, chatRoomId)).toEqual([])
  expect(await kindsOf(alice, chatRoomId)).toEqual(['withheld', 'withheld', 'withheld'])
  expect(await alice.does(notificationsApi.unreadCount, {})).toEqual({ count: 0 })
  const [row] = (await alice.does(roomsApi.list, {})).rooms
  expect(row).toMatchObject({ clearedSeq: 3, lastMessage: null, unreadCount: 0, lastSeq: 3 })
  expect(await alice.contacts()).toMatchObject([{ lastMessage: null }])
  expect(await textsOf(bob, chatRoomId)).toEqual(['one', 'two', 'three'])
  // Clearing is not reading.
  expect((await bob.does(messagesApi.list, { chatRoomId })).at(-1)?.deliveryStatus).toBe('sent')
  await bob.says(chatRoomId, 'four')
  expect(await textsOf(alice, chatRoomId)).toEqual(['four'])
  expect(await alice.does(notificationsApi.unreadCount, {})).toEqual({ count: 1 })
})

test('what came after the screen was read is not cleared with it, and a place beyond the end clears nothing to come', async () => {
  const { alice, bob, chatRoomId, hers } = await pair()
  for (const text of ['one', 'two']) await bob.says(chatRoomId, text)
  expect(await alice.does(contactsApi.clearChat, { contactId: hers, upTo: 1 })).toEqual({ clearedSeq: 1 })
  expect(await textsOf(alice, chatRoomId)).toEqual(['two'])
  expect(await alice.does(notificationsApi.unreadCount, {})).toEqual({ count: 1 })
  // A lower one takes nothing back.
  expect(await alice.does(contactsApi.clearChat, { contactId: hers, upTo: 0 })).toEqual({ clearedSeq: 1 })
  expect(await alice.does(contactsApi.clearChat, { contactId: hers, upTo: 9_000_000 })).toEqual({ clearedSeq: 2 })
  await bob.says(chatRoomId, 'three')
  expect(await textsOf(alice, chatRoomId)).toEqual(['three'])
})

test('only when both have cleared the server forgets the envelopes: places, hashes and commits stay', async () => {
  const { alice, bob, chatRoomId, hers, his } = await pair()
  const first = creation(chatRoomId)
  await alice.does(roomsApi.commit, first)
  await alice.says(chatRoomId, 'secret one')
  await bob.says(chatRoomId, 'secret two')
  await alice.says(chatRoomId, 'kept')
  const stored = () =>
    world.sql(
      'select seq::int, content, content_hash from messages where room = (select number from chat_rooms where id = $1) order by seq',
      [chatRoomId],
    )
  const before = await stored()
  await alice.does(contactsApi.clearChat, { contactId: hers, upTo: 3 })
  world.passes(3600)
  await world.jobs.runDue()
  expect(await stored()).toEqual(before)
  await bob.does(contactsApi.clearChat, { contactId: his })
  world.passes(3600)
  await world.jobs.runDue()
  expect(await stored()).toEqual(before.map((row) => (Number(row['seq']) <= 3 ? { ...row, content: '' } : row)))
  expect(await kindsOf(alice, chatRoomId)).toEqual(['commit', 'withheld', 'withheld', 'message'])
  expect(await kindsOf(bob, chatRoomId)).toEqual(['commit', 'withheld', 'withheld', 'withheld'])
  const [room] = await world.sql('select emptied_seq::int as emptied from chat_rooms where id = $1', [chatRoomId])
  expect(room).toEqual({ emptied: 3 })
})

test('a message of before without a hash keeps its hash when it is emptied', async () => {
  const { alice, bob, chatRoomId, hers, his } = await pair()
  await alice.says(chatRoomId, 'old')
  const [{ hash } = {}] = await world.sql(
    "select encode(content_hash, 'base64') as hash from messages where room = (select number from chat_rooms where id = $1)",
    [chatRoomId],
  )
  await world.sql('update messages set content_hash = null where room = (select number from chat_rooms where id = $1)', [
    chatRoomId,
  ])
  await alice.does(contactsApi.clearChat, { contactId: hers })
  await bob.does(contactsApi.clearChat, { contactId: his })
  const withheld = async () => (await alice.does(roomsApi.log, { chatRoomId })).entries[0]
  const before = await withheld()
  expect(before).toMatchObject({ kind: 'withheld', contentHash: hash })
  world.passes(3600)
  await world.jobs.runDue()
  expect(await withheld()).toEqual(before)
})

test('the archive keys of epochs that are cleared whole go, of the one who cleared alone', async () => {
  const { alice, bob, chatRoomId, hers } = await pair()
  const keysOf = (epoch: number, { groupId }: CommitDraft): ArchiveKey[] =>
    [alice, bob].map(({ id: userId }) => ({ userId, groupId, epoch, historyKeyId: 1, sealed: random() }))
  const first = creation(chatRoomId)
  await alice.does(roomsApi.commit, { ...first, archiveKeys: keysOf(1, first) })
  await bob.says(chatRoomId, 'one')
  const second = following(first)
  await bob.does(roomsApi.commit, { ...second, archiveKeys: keysOf(2, second) })
  await bob.says(chatRoomId, 'two')
  await alice.does(contactsApi.clearChat, { contactId: hers })
  const epochsOf = async (person: Person) =>
    (await person.does(roomsApi.archiveKeys, { chatRoomId, groupId: first.groupId, epochs: '1,2' })).keys.map(
      ({ epoch }) => epoch,
    )
  expect(await epochsOf(alice)).toEqual([2])
  expect((await epochsOf(bob)).sort()).toEqual([1, 2])
})

test('a chat that is cleared while its pages are read gives each message once or not at all', async () => {
  const { alice, bob, chatRoomId, hers } = await pair()
  for (let count = 0; count < 40; count++) await bob.says(chatRoomId, `${count}`)
  const pages = Array.from({ length: 10 }, (_, at) => alice.does(roomsApi.log, { chatRoomId, after: at * 4, limit: 4 }))
  const [read] = await Promise.all([Promise.all(pages), alice.does(contactsApi.clearChat, { contactId: hers })])
  for (const { entries } of read) {
    expect(new Set(entries.map(({ kind }) => kind)).size).toBe(1)
    expect(entries.every((entry) => entry.kind !== 'message' || entry.content !== '')).toBe(true)
  }
  expect(read.flatMap(({ entries }) => entries.map(({ seq }) => seq))).toEqual(Array.from({ length: 40 }, (_, at) => at + 1))
})

test('a cleared chat is news for the other browsers of its owner, and none for the other side', async () => {
  const { alice, bob, chatRoomId, hers } = await pair()
  await bob.says(chatRoomId, 'one')
  await world.settles()
  const counters = [await alice.does(roomsApi.list, {}), await bob.does(roomsApi.list, {})].map(({ counter }) => counter ?? '')
  await alice.does(contactsApi.clearChat, { contactId: hers })
  const [hersNow, hisNow] = await Promise.all(
    [alice, bob].map((person, at) => person.does(roomsApi.list, { since: counters[at] })),
  )
  expect(hersNow?.rooms).toMatchObject([{ chatRoomId, clearedSeq: 1 }])
  expect(hisNow?.rooms).toEqual([])
})
