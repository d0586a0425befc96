import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { privacyApi } from '../../../contract/people/privacy.ts'
import { creation, plantGroup } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { sealNumber } from './token.ts'

const world = await startWorld()

/** Reads every page. */
async function pagesOf(who: Person, limit: number): Promise<ListedRoom[][]> {
  const pages: ListedRoom[][] = []
  for (let before: string | undefined; ; ) {
    const page = await who.does(roomsApi.list, { limit, ...(before !== undefined && { before }) })
    pages.push(page.rooms)
    if (page.before === null) return pages
    before = page.before
  }
}

/** A counter of which everything before is answered. */
async function now(who: Person): Promise<string> {
  await world.settles()
  return (await who.does(roomsApi.list, {})).counter ?? ''
}

/** Everything that has changed since, by one reading of `limit` rows at a time. */
async function changes(who: Person, since: string, limit: number = LIMITS.roomPageMax) {
  const found = { ids: [] as string[], removed: [] as string[], counter: since }
  for (;;) {
    const answer = await who.does(roomsApi.list, { since: found.counter, limit })
    found.ids.push(...answer.rooms.map(({ chatRoomId }) => chatRoomId))
    found.removed.push(...answer.removed)
    found.counter = answer.counter ?? ''
    if (!answer.more) return found
  }
}

/** Gives this person so many contacts, who have registered nowhere. Returns the rooms, the newest activity first. */
async function plantContacts(who: Person, count: number): Promise<string[]> {
  const others = Array.from({ length: count }, () => randomUUID())
  await world.sql(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     select id, 'p_' || left(replace(id::text, '-', ''), 24), 'Somebody', '', '', now(), now() from unnest($1::uuid[]) id`,
    [others],
  )
  const rooms = others.map((id) => directRoomId(who.id, id))
  await world.sql(
    `insert into chat_rooms (id, created_by, created_at, last_message_at)
     select id, $1, now(), now() - (at / 2) * interval '1 minute' from unnest($2::text[]) with ordinality t(id, at)`,
    [who.id, rooms],
  )
  for (const side of ['user', 'contact_user'] as const) {
    const [mine, theirs] = side === 'user' ? ['$1::uuid', 'id'] : ['id', '$1::uuid']
    await world.sql(
      `insert into chat_participants (chat_room_id, user_id, joined_at) select room, ${mine}, now() from unnest($2::uuid[], $3::text[]) t(id, room)
       where $1::uuid is not null`,
      [who.id, others, rooms],
    )
    await world.sql(
      `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
       select gen_random_uuid(), ${mine}, ${theirs}, 'accepted', room, now() from unnest($2::uuid[], $3::text[]) t(id, room)`,
      [who.id, others, rooms],
    )
  }
  return rooms
}

/** A transaction of another process, which stays open. */
async function openTransaction() {
  const client = new pg.Client({ connectionString: world.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  return client
}

test('every chat stands on exactly one page, the newest first, whatever the size of a page and where two are equally old', async () => {
  const { alice, bob } = await world.people()
  const rooms = await plantContacts(alice, 9)
  rooms.unshift(await alice.talksTo(bob))
  await bob.says(rooms[0] ?? '', 'the newest')
  const whole = (await pagesOf(alice, LIMITS.roomPageMax)).flat()
  expect(new Set(whole.map(({ chatRoomId }) => chatRoomId))).toEqual(new Set(rooms))
  expect(whole[0]).toMatchObject({
    ...{ chatRoomId: rooms[0], lastSeq: 1, unreadCount: 1, readSeq: 0 },
    people: [{ id: bob.id, username: bob.username, isDeleted: false, manifestVersion: 1, readSeq: 1 }],
    direct: { state: 'accepted', isBlocked: false, hasAnswered: true },
    lastMessage: { seq: 1, senderId: bob.id },
  })
  for (const limit of [1, 2, 3, 5, 10]) {
    const pages = await pagesOf(alice, limit)
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(10 / limit) }, (_, at) => Math.min(limit, 10 - at * limit)),
    )
    expect(pages.flat().map(({ chatRoomId }) => chatRoomId)).toEqual(whole.map(({ chatRoomId }) => chatRoomId))
  }
  expect(await bob.does(roomsApi.list, {})).toMatchObject({ rooms: [{ chatRoomId: rooms[0] }], more: false, before: null })
})

test('what PostgreSQL writes of the list is byte for byte what the contract writes, whatever the names are made of', async () => {
  const { alice, bob, carol, eve } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await alice.talksTo(carol)
  await eve.adds(alice)
  await plantGroup(world, alice, bob, carol)
  await plantGroup(world, alice)
  const since = await now(alice)
  await bob.says(chatRoomId, 'hello')
  await alice.does(notificationsApi.mute, { chatRoomId, term: 'hour' })
  await world.sql('update users set display_name = $2 where id = $1', [bob.id, 'B"\\/\b\t\n\u001f\u007f\u2028<é😀'])
  const seen = []
  for (const query of ['', '?limit=1', `?since=${since}`, `?ids=${chatRoomId},${directRoomId(bob.id, carol.id)}`]) {
    const { text } = await alice.request('GET', `/api/rooms${query}`)
    const page = roomsApi.list.output.parse(JSON.parse(text))
    expect(text).toBe(JSON.stringify(page))
    seen.push([page.rooms.length, page.removed.length])
  }
  expect(seen).toEqual([
    [5, 0],
    [1, 0],
    [2, 0],
    [1, 1],
  ])
})

test('a chat that moves to the front while Alice reads her pages keeps its place on them, and is among the changes since the first one', async () => {
  const { alice, bob } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await plantContacts(alice, 4)
  await world.sql("update chat_rooms set last_message_at = now() - interval '1 day' where id = $1", [chatRoomId])
  await world.settles()
  const first = await alice.does(roomsApi.list, { limit: 2 })
  await bob.says(chatRoomId, 'now it is the newest')
  const second = await alice.does(roomsApi.list, { limit: 3, before: first.before ?? '' })
  expect([...first.rooms, ...second.rooms].map((row) => row.chatRoomId)).toContain(chatRoomId)
  const { rooms } = await alice.does(roomsApi.list, { since: first.counter ?? '' })
  expect(rooms).toMatchObject([{ chatRoomId, lastSeq: 1, unreadCount: 1 }])
})

test('whatever a row shows, its change is answered to everybody who sees it, once, and no other row comes with it', async () => {
  const { alice, bob, carol } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await alice.talksTo(carol)
  const online = async () => {
    const line = await bob.opensSocket()
    onTestFinished(() => line.hangsUp())
    await expect
      .poll(() => world.sql("select nodes <> '{}' as is_online from presence where user_id = $1", [bob.id]))
      .toEqual([{ is_online: true }])
  }
  // Bob's list does not show himself, and Alice's does not show what was delivered to her.
  const steps: [string, () => Promise<unknown>, string[], string[]?][] = [
    ['a message', () => bob.says(chatRoomId, 'hello'), [chatRoomId]],
    ['a delivered mark', () => alice.does(messagesApi.markDelivered, { chatRoomId, seq: 1 }), [chatRoomId], []],
    ['a read mark', () => alice.does(messagesApi.markRead, { chatRoomId, seq: 1 }), [chatRoomId]],
    ['a commit', () => alice.does(roomsApi.commit, creation(chatRoomId)), [chatRoomId]],
    ['a name', () => world.sql("update users set display_name = 'Robert' where id = $1", [bob.id]), []],
    ['a device', () => bob.addsBrowser(), []],
    ['presence', online, []],
    [
      'an alias',
      () => world.sql("update contacts set display_name = 'B' where user_id = $1 and contact_user_id = $2", [alice.id, bob.id]),
      [],
    ],
  ]
  let [hers, his] = [await now(alice), await now(bob)]
  for (const [what, change, seenByBob, seenByAlice = [chatRoomId]] of steps) {
    await change()
    await world.settles()
    const [toAlice, toBob] = [await changes(alice, hers), await changes(bob, his)]
    expect({ what, hers: toAlice.ids, his: toBob.ids }).toEqual({ what, hers: seenByAlice, his: seenByBob })
    expect([toAlice.removed, toBob.removed]).toEqual([[], []])
    ;[hers, his] = [toAlice.counter, toBob.counter]
    expect([(await changes(alice, hers)).ids, (await changes(bob, his)).ids]).toEqual([[], []])
  }
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  expect((await changes(alice, hers)).ids).toEqual([chatRoomId])
  expect((await alice.does(roomsApi.list, { ids: chatRoomId })).rooms).toMatchObject([{ people: [{ isDeleted: true }] }])
})

test('a room of three stands on the list once, with the two others, on every page, by its id and among the changes', async () => {
  const { alice, bob, carol, eve } = await world.people()
  const direct = await alice.talksTo(bob)
  const [before, carols, eves] = [await now(alice), await now(carol), await now(eve)]
  const group = await plantGroup(world, alice, bob, carol)
  await carol.says(group, 'hello both')
  const others = [bob, carol].map(({ id, username }) => ({ id, username })).sort((a, b) => (a.id < b.id ? -1 : 1))
  const row = { chatRoomId: group, people: others, direct: null, lastSeq: 1, unreadCount: 1, lastMessage: { senderId: carol.id } }
  for (const limit of [1, 2, 3]) expect((await pagesOf(alice, limit)).flat()).toMatchObject([row, { chatRoomId: direct }])
  expect((await alice.does(roomsApi.list, { ids: group })).rooms).toMatchObject([row])
  expect((await alice.does(roomsApi.list, { since: before })).rooms).toMatchObject([row])
  expect((await alice.does(notificationsApi.unreadCount, {})).count).toBe(1)
  // Carol knows neither of them, and finds the room by nothing but being a member.
  expect((await carol.does(roomsApi.list, {})).rooms).toMatchObject([{ chatRoomId: group, people: [{}, {}], direct: null }])
  expect((await changes(carol, carols)).ids).toEqual([group])
  expect(await eve.does(roomsApi.list, { ids: group })).toMatchObject({ rooms: [], removed: [group] })
  expect((await eve.does(roomsApi.list, { since: eves })).rooms).toEqual([])
})

test('a room of three that nobody has written in stands where its member came into it', async () => {
  const { alice, bob, carol } = await world.people()
  const [older, group, newer] = [await alice.talksTo(bob), await plantGroup(world, alice, bob, carol), await alice.talksTo(carol)]
  await world.sql("update chat_participants set joined_at = now() + interval '1 minute' where chat_room_id = $1", [group])
  await world.sql("update contacts set added_at = now() + interval '2 minutes' where chat_room_id = $1", [newer])
  expect((await pagesOf(alice, 1)).flat().map(({ chatRoomId }) => chatRoomId)).toEqual([newer, group, older])
})

test('whatever a room of three shows of any member, its change is answered to everybody who sees it, and to nobody else', async () => {
  const { alice, bob, carol } = await world.people()
  const direct = await alice.talksTo(bob)
  const group = await plantGroup(world, alice, bob, carol)
  const both = [direct, group].sort()
  const photo = (who: Person, path: string) =>
    world.sql('update users set profile_image_url = $2 where id = $1', [who.id, `/objects/uploads/${path}`])
  const online = async () => {
    const line = await bob.opensSocket()
    onTestFinished(() => line.hangsUp())
    await expect
      .poll(() => world.sql("select nodes <> '{}' as is_online from presence where user_id = $1", [bob.id]))
      .toEqual([{ is_online: true }])
  }
  const first = { ...creation(group), manifestVersions: Object.fromEntries([alice, bob, carol].map(({ id }) => [id, 1])) }
  // Alice and Bob are contacts, and Carol knows neither of them. What each list says of the change: Alice's, then Carol's.
  const steps: [string, () => Promise<unknown>, string[], string[]][] = [
    ['a message', () => bob.says(group, 'hello'), [group], [group]],
    ['a delivered mark', () => bob.does(messagesApi.markDelivered, { chatRoomId: group, seq: 1 }), [], []],
    ['a read mark', () => carol.does(messagesApi.markRead, { chatRoomId: group, seq: 1 }), [group], [group]],
    ['a commit', () => alice.does(roomsApi.commit, first), [group], [group]],
    ['a mute', () => alice.does(notificationsApi.mute, { chatRoomId: group, term: 'hour' }), [group], []],
    [
      'clearing',
      () => world.sql('update chat_participants set cleared_seq = 1 where chat_room_id = $1 and user_id = $2', [group, alice.id]),
      [group],
      [],
    ],
    ["a contact's name", () => world.sql("update users set display_name = 'Robert' where id = $1", [bob.id]), both, [group]],
    ["a stranger's name", () => world.sql("update users set display_name = 'Caroline' where id = $1", [carol.id]), [group], []],
    ["a stranger's device", () => carol.addsBrowser(), [group], []],
    ["a contact's photo", () => photo(bob, 'bob'), both, []],
    ["a stranger's photo", () => photo(carol, 'carol'), [], []],
    ['presence', online, both, []],
    [
      'a block',
      () => world.sql('update contacts set is_blocked = true where user_id = $1 and contact_user_id = $2', [alice.id, bob.id]),
      both,
      [],
    ],
    [
      'the end of a block',
      () => world.sql('update contacts set is_blocked = false where user_id = $1 and contact_user_id = $2', [alice.id, bob.id]),
      both,
      [],
    ],
    ['a message of another', () => alice.says(direct, 'to Bob alone'), [direct], []],
  ]
  let [hers, carols] = [await now(alice), await now(carol)]
  for (const [what, change, seenByAlice, seenByCarol] of steps) {
    await change()
    await world.settles()
    const [toAlice, toCarol] = [await changes(alice, hers), await changes(carol, carols)]
    expect({ what, hers: toAlice.ids.sort(), carols: toCarol.ids }).toEqual({ what, hers: seenByAlice, carols: seenByCarol })
    ;[hers, carols] = [toAlice.counter, toCarol.counter]
    expect([(await changes(alice, hers)).ids, (await changes(carol, carols)).ids]).toEqual([[], []])
  }
  const [row] = (await alice.does(roomsApi.list, { ids: group })).rooms
  expect(row).toMatchObject({ clearedSeq: 1, mutedUntil: expect.any(String), lastMessage: null })
  expect(row?.people.find(({ id }) => id === bob.id)).toMatchObject({
    displayName: 'Robert',
    profileImageUrl: '/objects/uploads/bob',
    isOnline: true,
  })
  expect(row?.people.find(({ id }) => id === carol.id)).toMatchObject({
    displayName: 'Caroline',
    profileImageUrl: null,
    manifestVersion: 2,
    readSeq: 1,
  })
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  expect((await changes(carol, carols)).ids).toEqual([group])
  expect((await carol.does(roomsApi.list, { ids: group })).rooms).toMatchObject([{ people: [{ id: alice.id }] }])
  // Whoever is taken out of a room has no row that could say so: they read their list anew.
  await world.settles()
  const last = await now(carol)
  await world.sql('delete from chat_participants where chat_room_id = $1 and user_id = $2', [group, carol.id])
  expect(await carol.tries(roomsApi.list, { since: last })).toBeRefused(410, 'list_moved_on')
  expect((await carol.does(roomsApi.list, {})).rooms).toEqual([])
})

test('a request comes, is accepted and shows presence; one that is declined leaves the list, and the asker is answered nothing', async () => {
  const { alice, bob, carol } = await world.people()
  await bob.adds(carol)
  const [empty, bobs] = [await now(alice), await now(bob)]
  await bob.adds(alice)
  await carol.adds(alice)
  await world.settles()
  const asked = await changes(alice, empty)
  expect(asked.ids.sort()).toEqual([bob, carol].map(({ id }) => directRoomId(id, alice.id)).sort())
  const requests = await alice.contacts()
  const of = ({ id }: Person) => requests.find(({ contactUserId }) => contactUserId === id)?.id ?? ''
  const carols = await now(carol)
  await alice.does(contactsApi.accept, { contactId: of(bob) })
  await alice.does(contactsApi.decline, { contactId: of(carol) })
  const answered = await changes(alice, asked.counter)
  expect(answered).toMatchObject({ ids: [directRoomId(alice.id, bob.id)], removed: [directRoomId(alice.id, carol.id)] })
  expect((await changes(bob, bobs)).ids).toContain(directRoomId(alice.id, bob.id))
  const line = await alice.opensSocket()
  await expect
    .poll(() => world.sql("select nodes <> '{}' as is_online from presence where user_id = $1", [alice.id]))
    .toEqual([{ is_online: true }])
  line.hangsUp()
  expect(await changes(carol, carols)).toMatchObject({ ids: [], removed: [] })
})

test('a change whose transaction ends late is answered, whatever was read while it was open', async () => {
  const { alice, bob, carol } = await world.people()
  const [toBob, toCarol] = [await alice.talksTo(bob), await alice.talksTo(carol)]
  const before = await now(alice)
  const late = await openTransaction()
  await late.query('update chat_participants set delivered_seq = 1 where chat_room_id = $1 and user_id = $2', [toBob, bob.id])
  let { counter } = await changes(alice, before)
  await carol.says(toCarol, 'a later transaction, which is seen first')
  const first = await changes(alice, counter)
  expect(first.ids).toEqual([toCarol])
  counter = first.counter
  await late.query('commit')
  expect((await changes(alice, counter)).ids).toContain(toBob)
})

test('a change whose transaction ends between two pages of one reading is answered by the next one, and nothing twice', async () => {
  const { alice } = await world.people()
  const rooms = await plantContacts(alice, 7)
  const before = await now(alice)
  const late = await openTransaction()
  await late.query('update chat_rooms set last_seq = 1, epoch = 1 where id = $1', [rooms[6]])
  // All of them by one transaction: their order is that of their ids alone.
  await world.sql('update chat_rooms set last_seq = 1, epoch = 1 where id = any($1)', [rooms.slice(0, 6)])
  const first = await alice.does(roomsApi.list, { since: before, limit: 4 })
  await late.query('commit')
  const rest = await changes(alice, first.counter ?? '', 4)
  const read = [...first.rooms.map(({ chatRoomId }) => chatRoomId), ...rest.ids]
  expect(read.toSorted()).toEqual(rooms.toSorted())
  expect((await changes(alice, rest.counter)).ids).toEqual([])
})

test('while many write at the same time, whoever follows the changes has at the end what the pages show', async () => {
  const { alice, bob, carol, eve } = await world.people()
  const others = [bob, carol, eve]
  const rooms = await Promise.all(others.map((other) => alice.talksTo(other)))
  const mirror = new Map<string, number>()
  let counter = await now(alice)
  let isOver = false
  const marksIn = ({ lastSeq, people }: ListedRoom) => lastSeq * 1000 + (people[0]?.readSeq ?? 0)
  const follow = async () => {
    const answer = await alice.does(roomsApi.list, { since: counter, limit: 2 })
    for (const row of answer.rooms) mirror.set(row.chatRoomId, marksIn(row))
    counter = answer.counter ?? ''
    return answer.more
  }
  const writers = others.map(async (other, at) => {
    const chatRoomId = rooms[at] ?? ''
    for (let turn = 0; turn < 6; turn++) {
      const [{ seq }] = await Promise.all([alice.says(chatRoomId, 'one'), other.says(chatRoomId, 'two')])
      await other.does(messagesApi.markRead, { chatRoomId, seq })
    }
  })
  const reader = (async () => {
    while (!isOver) await follow()
  })()
  await Promise.all(writers)
  isOver = true
  await reader
  while (await follow());
  const shown = (await pagesOf(alice, 2)).flat()
  expect(mirror).toEqual(new Map(shown.map((row) => [row.chatRoomId, marksIn(row)])))
})

test('a row that left the list without a trace makes older counters void, and those of another database are void too', async () => {
  const { alice, bob } = await world.people()
  await bob.adds(alice)
  const counters = [await now(alice), await now(bob)]
  world.passes((LIMITS.requestDays + 1) * 24 * 60 * 60)
  await alice.returns()
  await bob.returns()
  await world.jobs.runDue()
  expect(await alice.tries(roomsApi.list, { since: counters[0] ?? '' })).toBeRefused(410, 'list_moved_on')
  expect((await changes(alice, await now(alice))).ids).toEqual([])
  // The asker does not learn that the request has lapsed.
  expect(await changes(bob, counters[1] ?? '')).toMatchObject({ ids: [], removed: [] })
  // What a page of before sends, what somebody has made up, and what was changed on its way.
  const own = await now(alice)
  const changed = `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`
  for (const since of ['9000000000000000', '', '-1', '1.2', `1.2.${randomUUID()}`, "1' or true", changed, `${own}AAAA`])
    expect(await alice.tries(roomsApi.list, { since })).toBeRefused(410, 'list_moved_on')
  expect(await alice.tries(roomsApi.list, { since: 'A'.repeat(200) })).toBeRefused(400, 'invalid_input')
  // A database that was put back has not come to this number yet, and one that was brought from elsewhere counts otherwise.
  const later = sealNumber(world.env.inboxKey, alice.id, 1_000_000)
  expect(await alice.tries(roomsApi.list, { since: later })).toBeRefused(410, 'list_moved_on')
  await world.sql("update inboxes set compared_to = '9000000000000000' where user_id = $1", [alice.id])
  expect(await alice.tries(roomsApi.list, { since: own })).toBeRefused(410, 'list_moved_on')
})

test('a place in the list that no clock can name is refused by name', async () => {
  const { alice } = await world.people()
  const at = (ms: string) => ({ before: `${ms}.${directRoomId(alice.id, randomUUID())}` })
  for (const ms of ['-99999999999999', '0', '99999999999999']) expect((await alice.tries(roomsApi.list, at(ms))).status).toBe(200)
  for (const ms of ['', '1e3', '-100000000000000', '100000000000000'])
    expect(await alice.tries(roomsApi.list, at(ms))).toBeRefused(400, 'invalid_input')
})

test("whatever Eve asks, other people's rooms never appear: not by page, by counter or by id", async () => {
  const { alice, bob, eve } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await alice.says(chatRoomId, 'between Alice and Bob')
  const unknown = directRoomId(randomUUID(), randomUUID())
  expect(await eve.does(roomsApi.list, { ids: [chatRoomId, unknown].join() })).toEqual({
    ...{ rooms: [], removed: [chatRoomId, unknown], counter: null, more: false, before: null },
  })
  expect((await eve.does(roomsApi.list, { since: await now(eve) })).rooms).toEqual([])
  expect(await eve.tries(roomsApi.list, { since: await now(alice) })).toBeRefused(410, 'list_moved_on')
  expect((await eve.does(roomsApi.list, {})).rooms).toEqual([])
  expect((await eve.does(roomsApi.list, { before: `9999999999999.${chatRoomId}` })).rooms).toEqual([])
  for (const two of [
    { since: '0', ids: chatRoomId },
    { before: `1.${chatRoomId}`, since: '0' },
  ])
    expect(await eve.tries(roomsApi.list, two)).toBeRefused(400, 'invalid_input')
})

test('two accounts that are deleted at the same time do not stop each other, and make the counters of both askers void', async () => {
  const [alice, bob, carol, dave] = await Promise.all(['anna', 'ben', 'clara', 'dan'].map((name) => world.person(name)))
  if (!alice || !bob || !carol || !dave) throw new Error('Somebody is missing')
  for (const asker of [carol, dave]) for (const asked of [alice, bob]) await asker.adds(asked)
  const counters = [await now(alice), await now(bob)]
  await Promise.all([carol, dave].map((each) => each.does(accountApi.remove, { password: each.authSecret, kdf: 1 })))
  for (const [at, who] of [alice, bob].entries())
    expect(await who.tries(roomsApi.list, { since: counters[at] ?? '' })).toBeRefused(410, 'list_moved_on')
})

test('whatever others say, read, come and go around Eve: her counter stays the same byte for byte, and moves by what she is shown alone', async () => {
  const { alice, bob, eve } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await eve.talksTo(bob)
  const nothing = { presence: false, lastSeen: false, typing: false, receipts: false }
  await bob.does(privacyApi.update, nothing)
  const before = await eve.does(roomsApi.list, {})
  const isSame = async () => expect(await eve.does(roomsApi.list, {})).toEqual(before)
  await isSame()
  const { seq } = await alice.says(chatRoomId, 'not for Eve')
  await isSame()
  await bob.does(messagesApi.markRead, { chatRoomId, seq })
  await isSame()
  const line = await bob.opensSocket()
  await line.hears('hello')
  await isSame()
  line.hangsUp()
  await line.closed
  await isSame()
  const bobs = (await bob.contacts()).find(({ contactUserId }) => contactUserId === eve.id)?.id ?? ''
  for (const call of [contactsApi.block, contactsApi.unblock]) {
    await bob.does(call, { contactId: bobs })
    await isSame()
    expect(await eve.does(roomsApi.list, { since: before.counter ?? '' })).toMatchObject({ rooms: [], counter: before.counter })
  }
  await bob.says(directRoomId(bob.id, eve.id), 'for Eve')
  expect((await eve.does(roomsApi.list, {})).counter).not.toBe(before.counter)
})

test('a server that writes rows in another way has every list read anew, and raises nothing for what it then finds the same', async () => {
  const { alice, bob } = await world.people()
  await alice.talksTo(bob)
  const counter = await now(alice)
  await world.sql("update inboxes set written_by = 'another release' where user_id = $1", [alice.id])
  expect(await alice.tries(roomsApi.list, { since: counter })).toBeRefused(410, 'list_moved_on')
  expect((await changes(alice, await now(alice))).ids).toEqual([])
})

test('two browsers that ask at the same time are both answered all that has changed, each once', async () => {
  const { alice, bob } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  for (let round = 0; round < 5; round++) {
    const counter = await now(alice)
    await bob.says(chatRoomId, `round ${round}`)
    const answers = await Promise.all(Array.from({ length: 8 }, () => changes(alice, counter)))
    for (const { ids, counter: next } of answers) {
      expect(ids).toEqual([chatRoomId])
      expect((await changes(alice, next)).ids).toEqual([])
    }
  }
})
