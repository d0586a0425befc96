import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { recoveryApi } from '../../../contract/account/recovery.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { keepPresence } from '../../people/presence/presence.ts'
import { creation, following, plantGroup, sealed } from '../../testing/group.ts'
import { signedBook } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

const someone = (name = `p${randomBytes(5).toString('hex')}`) => world.person(name)
const pair = async (): Promise<[Person, Person]> => [await someone(), await someone()]
const deletes = (who: Person) => who.does(accountApi.remove, { password: who.authSecret, kdf: 1 })
const countOf = async (from: string, values: unknown[]) =>
  (await world.sql(`select count(*)::int as count from ${from}`, values))[0]?.['count']

/** Returns the columns that contain any of these words, regardless of case. Bytes are searched as hex. */
async function columnsWith(...words: string[]): Promise<string[]> {
  const columns = await world.sql(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public' order by 1, 2`,
  )
  expect(columns.length).toBeGreaterThan(80)
  const found: string[] = []
  for (const { table, column } of columns) {
    const holds = `exists (select from unnest($1::text[]) word where position(lower(word) in lower("${column}"::text)) > 0)`
    if ((await countOf(`"${table}" where ${holds}`, [words])) !== 0) found.push(`${table}.${column}`)
  }
  return found
}

/** Returns every row of every table, to compare. */
async function everything(): Promise<unknown[]> {
  const tables = await world.sql(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  return await Promise.all(
    tables.map(({ name }) => world.sql(`select md5(string_agg(t::text, '|' order by t::text)) as rows from "${name}" t`)),
  )
}

/** Makes a person with data in every table, who has a chat with another person in the room's first group. */
async function settled() {
  const [alice, bob] = await pair()
  const kitSecret = newAuthSecret()
  const chatRoomId = await alice.talksTo(bob)
  const phone = await alice.addsBrowser()
  await alice.changesKeys({ adds: ['kit'], removes: [phone.deviceId] }, { kitSecret })
  await alice.does(devicesApi.saveBook, signedBook(alice.identity, alice.deviceId, { version: 2 }))
  await bob.addsBrowser()
  await Promise.all([alice, bob].map((each) => each.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })))
  const first = { ...creation(chatRoomId), manifestVersions: { [alice.id]: 3, [bob.id]: 2 } }
  const keyOf = ({ id, identity }: Person) => ({
    ...{
      userId: id,
      groupId: first.groupId,
      epoch: 1,
      historyKeyId: identity.manifest.historyKeyId,
      sealed: randomBytes(100).toString('base64'),
    },
  })
  await alice.does(roomsApi.commit, { ...first, archiveKeys: [keyOf(alice), keyOf(bob)] })
  await Promise.all([alice, bob].map((each) => each.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })))
  const message = await alice.says(chatRoomId, sealed(first.groupId, 1))
  await bob.does(messagesApi.markRead, { chatRoomId })
  await bob.says(chatRoomId, sealed(first.groupId, 1))
  await alice.does(messagesApi.markRead, { chatRoomId })
  return { alice, bob, chatRoomId, first, message, kitSecret }
}

test('after a deletion no row of any table holds the name, the address, the picture or the keys of the person', {
  timeout: 60_000,
}, async () => {
  const { alice, bob, kitSecret } = await settled()
  // The last administrator cannot go.
  await world.sql('update users set is_admin = true where id = $1', [bob.id])
  const { onionAddress } = await alice.does(accountApi.user, {})
  const words = { displayName: `Alice ${randomBytes(6).toString('hex')}`, email: `${randomBytes(6).toString('hex')}@example.org` }
  const picture = `/objects/${randomBytes(6).toString('hex')}`
  await world.sql(
    `update users set display_name = $2, email = $3, avatar = $4, profile_image_url = $4, is_admin = true, has_biometrics = true,
      biometric_enabled = true, subscription_start_date = now(), subscription_end_date = now() where id = $1`,
    [alice.id, words.displayName, words.email, picture],
  )
  const [before] = await world.sql('select * from users where id = $1', [alice.id])
  const identityKey = alice.identity.manifest.identityKey
  const traces = [
    ...[alice.username, words.displayName, words.email, picture, onionAddress ?? ''],
    ...[identityKey, Buffer.from(identityKey, 'base64').toString('hex'), alice.deviceId],
    ...[alice.authSecret, kitSecret].map((secret) => createHash('sha256').update(secret).digest('hex')),
  ]
  expect(traces.every((word) => word.length > 8)).toBe(true)
  // The search itself is checked first: it finds each trace before the deletion.
  for (const word of traces) expect(await columnsWith(word), word).not.toEqual([])

  await deletes(alice)
  expect(await columnsWith(...traces)).toEqual([])
  const [row] = await world.sql('select * from users where id = $1', [alice.id])
  expect(row?.['username']).toMatch(/^deleted_[0-9a-f]{12}$/)
  expect(row).toMatchObject({ display_name: 'Deleted account', is_active: false, is_admin: false, subscription_tier: 'free' })
  expect(row?.['password_salt']).not.toEqual(before?.['password_salt'])
  const kept = [
    'username',
    'display_name',
    'password_hash',
    'password_salt',
    'id',
    'created_at',
    'deleted_at',
    'usage_reset_date',
    'profile_changed_in',
    'photo_changed_in',
  ]
  const rest = Object.entries(row ?? {}).filter(([column, value]) => value && !kept.includes(column))
  expect(Object.fromEntries(rest)).toEqual({
    ...{ subscription_tier: 'free', subscription_status: 'active', preferred_crypto_currency: 'bitcoin' },
  })
})

test("a deletion takes the person's rows in every table; Bob keeps his own", async () => {
  const { alice, bob, chatRoomId } = await settled()
  const his = async () => [
    await countOf('devices where user_id = $1', [bob.id]),
    await countOf('archive_keys where user_id = $1', [bob.id]),
    await countOf('sessions where user_id = $1', [bob.id]),
    await countOf('messages where room = (select number from chat_rooms where id = $1)', [chatRoomId]),
    await countOf('room_commits where room = (select number from chat_rooms where id = $1)', [chatRoomId]),
    await countOf('key_packages where user_id = $1 and claimed_by is null', [bob.id]),
  ]
  const before = await his()
  expect(await countOf('key_packages where claimed_room = $1', [chatRoomId])).toBeGreaterThan(0)
  const tables = [
    'sessions',
    'keyrings',
    'manifests',
    'devices',
    'history_seals',
    'key_packages',
    'books',
    'contacts',
    'archive_keys',
    'presence',
  ]
  const line = await alice.opensSocket()
  await expect.poll(() => countOf('presence where user_id = $1', [alice.id])).toBe(1)
  line.hangsUp()
  for (const table of tables) expect(await countOf(`${table} where user_id = $1`, [alice.id]), table).toBeGreaterThan(0)
  await deletes(alice)
  for (const table of tables) expect(await countOf(`${table} where user_id = $1`, [alice.id]), table).toBe(0)
  // Its contacts are gone, which leaves no room of it that counts as nothing.
  expect(await countOf('uncounted_rooms where user_id = $1', [alice.id])).toBe(0)
  expect(await countOf('key_packages where claimed_by = $1 or claimed_room = $2', [alice.id, chatRoomId])).toBe(0)
  expect(await his()).toEqual(before)
  expect(before).toEqual([2, 1, 2, 2, 1, expect.any(Number)])
})

test('Bob still has the chat with a deleted account, and writes no more in it', async () => {
  const { alice, bob, chatRoomId, first, message } = await settled()
  const log = await bob.does(roomsApi.log, { chatRoomId })
  const line = await bob.opensSocket()
  await deletes(alice)
  expect((await line.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  line.hangsUp()
  const [row] = await bob.contacts()
  const { username } = (await world.sql('select username from users where id = $1', [alice.id]))[0] ?? {}
  expect(row).toMatchObject({ state: 'accepted', chatRoomId, lastSeq: 3, lastMessage: { seq: 3, senderId: bob.id } })
  expect(row?.contactUser).toEqual({
    ...{ displayName: 'Deleted account', username, isDeleted: true, profileImageUrl: null },
    ...{ isOnline: false, lastSeen: null, onionAddress: null, identityKey: null, manifestVersion: 0 },
  })
  const { entries } = await bob.does(roomsApi.log, { chatRoomId })
  expect(entries.map((entry) => entry.seq)).toEqual(log.entries.map((entry) => entry.seq))
  expect(entries.find((entry) => entry.seq === message.seq)).toMatchObject({ content: message.content, senderId: alice.id })
  expect(await bob.does(messagesApi.list, { chatRoomId })).toHaveLength(2)
  expect(await bob.does(notificationsApi.unreadCount, {})).toEqual({ count: 0 })
  expect((await bob.does(roomsApi.archiveKeys, { chatRoomId, groupId: first.groupId, epochs: '1' })).keys).toHaveLength(1)
  expect(await bob.posts(chatRoomId, sealed(first.groupId, 1))).toBeRefused(403, 'account_deleted')
  expect(await bob.posts(chatRoomId, 'hello?')).toBeRefused(403, 'account_deleted')
  expect(await bob.tries(roomsApi.commit, { ...following(first) })).toBeRefused(403, 'account_deleted')
  expect(await bob.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })).toBeRefused(403, 'account_deleted')
  expect(
    await world.sql('select read_seq::int, delivered_seq::int, read_at from chat_participants where user_id = $1', [alice.id]),
  ).toEqual([{ read_seq: 0, delivered_seq: 0, read_at: null }])
})

test('the account is out at once, in every browser, and nobody gets in again', async () => {
  const alice = await someone()
  const kitSecret = newAuthSecret()
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret })
  const laptop = await alice.addsBrowser()
  const lines = await Promise.all([alice.opensSocket(), laptop.opensSocket()])
  const { username } = alice
  const cookie = alice.cookie
  await deletes(alice)
  expect(alice.cookie).toBeUndefined()
  for (const line of lines) {
    await line.hears('signed_out')
    expect(await line.closed).toMatchObject({ code: 4401 })
  }
  alice.cookie = cookie
  expect(await alice.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  expect(await laptop.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  await expect(laptop.opensSocket()).rejects.toBeRefused(401)
  const stranger = world.stranger()
  const tombstone = String((await world.sql('select username from users where id = $1', [alice.id]))[0]?.['username'])
  for (const name of [username, tombstone]) {
    expect(await stranger.tries(accountApi.login, { username: name, password: alice.authSecret, kdf: 1 })).toBeRefused(
      401,
      'invalid_credentials',
    )
    expect(await stranger.tries(recoveryApi.loginByKit, { username: name, kitSecret })).toBeRefused(401, 'wrong_kit')
    // The salt is derived like that of an unknown name.
    const again = await Promise.all([1, 2].map(() => stranger.does(accountApi.salt, { username: name.toUpperCase() })))
    expect(again[0]).toEqual(again[1])
    const [row] = await world.sql('select password_salt as salt from users where id = $1', [alice.id])
    expect(Buffer.from(again[0]?.salt ?? '', 'base64')).not.toEqual(row?.['salt'])
  }
})

test('nobody finds a deleted account: not by name, not by address, not its manifest, not its presence', async () => {
  const [alice, bob] = await pair()
  const { onionAddress } = await alice.does(accountApi.user, {})
  await alice.talksTo(bob)
  const line = await bob.opensSocket()
  const hers = await alice.opensSocket()
  await line.hears('presence')
  await deletes(alice)
  await hers.closed
  const [{ username } = {}] = await world.sql('select username from users where id = $1', [alice.id])
  const eve = await someone()
  for (const who of [bob, eve]) {
    for (const name of [alice.username, String(username)]) {
      expect(await who.tries(contactsApi.add, { username: name })).toBeRefused(404, 'user_not_found')
    }
    expect(await who.tries(contactsApi.add, { onionAddress })).toBeRefused(404, 'user_not_found')
    expect(await who.tries(devicesApi.manifest, { userId: alice.id })).toBeRefused(404, 'not_found')
  }
  // A socket that opens or closes late belongs to no account.
  for (const isHere of [true, false])
    await keepPresence({ ...world.env, hub: { ...world.env.hub, isHere: () => isHere } }).moved(alice.id)
  expect(await world.sql('select * from presence where user_id = $1', [alice.id])).toEqual([])
  expect(line.frames.filter((frame) => frame.type === 'presence')).toHaveLength(1)
  line.hangsUp()
})

test('Eve cannot have the name of a deleted account, in whatever case, nor one that looks like a deleted account', async () => {
  const alice = await someone(`Alice_${randomBytes(4).toString('hex')}`)
  await deletes(alice)
  const [{ username: tombstone } = {}] = await world.sql('select username from users where id = $1', [alice.id])
  const names = [
    alice.username,
    alice.username.toLowerCase(),
    alice.username.toUpperCase(),
    String(tombstone),
    'Deleted_0123456789ab',
  ]
  for (const username of names) {
    const password = newAuthSecret()
    const form = { username, displayName: 'Alice', password, confirmPassword: password, kdf: 1 }
    expect(await world.stranger().tries(accountApi.register, form), username).toBeRefused(409, 'username_taken')
    expect(await world.stranger().does(accountApi.usernameAvailable, { username })).toMatchObject({ available: false })
  }
  expect(await world.stranger().does(accountApi.usernameAvailable, { username: 'deleted_scenes' })).toMatchObject({
    available: true,
  })
})

test('a wrong password deletes nothing, and neither does a session alone', async () => {
  const { alice } = await settled()
  const before = await everything()
  expect(await alice.tries(accountApi.remove, { password: newAuthSecret(), kdf: 1 })).toBeRefused(401, 'invalid_credentials')
  expect(await alice.tries(accountApi.remove, {})).toBeRefused(400, 'invalid_input')
  // A browser that sends the typed password fails with an error, and an account with keys accepts nothing but an authSecret.
  expect(await alice.tries(accountApi.remove, { password: 'hunter22', kdf: 1 })).toBeRefused(400, 'invalid_input')
  expect(await alice.tries(accountApi.remove, { password: alice.authSecret })).toBeRefused(400, 'invalid_input')
  expect(await world.stranger().tries(accountApi.remove, { password: alice.authSecret, kdf: 1 })).toBeRefused(
    401,
    'not_signed_in',
  )
  expect(await everything()).toEqual(before)
})

test('who is signed in guesses at the password ten times, as at the front door', async () => {
  const strict = await startWorld({ hasLimits: true })
  const alice = await strict.person('alice')
  const guesses = Array.from({ length: 11 }, () => alice.tries(accountApi.remove, { password: newAuthSecret(), kdf: 1 }))
  const answers = (await Promise.all(guesses)).map((answer) => answer.code).sort()
  expect(answers).toEqual([...Array(10).fill('invalid_credentials'), 'too_many_requests'])
  const right = { username: 'alice', password: alice.authSecret, kdf: 1 }
  // Sign-in still works: guesses of a signed-in session do not lock the owner out.
  expect((await strict.stranger().tries(accountApi.login, right)).status).toBe(200)
})

test('an account without keys is deleted by its raw password', async () => {
  const bare = world.stranger()
  const username = `bare_${randomBytes(4).toString('hex')}`
  await bare.does(accountApi.register, { username, displayName: 'Bare', password: 'hunter22', confirmPassword: 'hunter22' })
  expect(await bare.tries(accountApi.remove, { password: 'hunter23' })).toBeRefused(401, 'invalid_credentials')
  await bare.does(accountApi.remove, { password: 'hunter22' })
  expect(await columnsWith(username)).toEqual([])
})

test('a request that nobody answered goes with its room; one that Alice left unanswered leaves the others theirs', async () => {
  const [alice, bob] = await pair()
  const [carol, dave] = await pair()
  const { chatRoomId: asked } = await alice.adds(bob)
  await alice.says(asked, 'hello Bob')
  const { chatRoomId: declined } = await alice.adds(carol)
  await alice.says(declined, 'hello Carol')
  const [request] = await carol.contacts()
  await carol.does(contactsApi.decline, { contactId: request?.id ?? '' })
  const { chatRoomId: asking } = await dave.adds(alice)
  await dave.says(asking, 'hello Alice')
  const line = await bob.opensSocket()
  const numbers = await world.sql('select number from chat_rooms where id = any($1)', [[asked, declined]])
  await deletes(alice)
  await line.hears('contacts')
  line.hangsUp()
  expect(await countOf('messages where room = any($1)', [numbers.map(({ number }) => number)])).toBe(0)
  for (const [who, gone] of [
    [bob, asked],
    [carol, declined],
  ] as const) {
    expect(await who.contacts()).toEqual([])
    expect(await who.posts(gone, 'x')).toBeRefused(404, 'not_found')
    for (const table of ['chat_participants', 'contacts'])
      expect(await countOf(`${table} where chat_room_id = $1`, [gone]), table).toBe(0)
    expect(await countOf('chat_rooms where id = $1', [gone])).toBe(0)
  }
  expect(await dave.contacts()).toMatchObject([{ contactUser: { isDeleted: true }, lastMessage: { content: 'hello Alice' } }])
  expect(await dave.posts(asking, 'x')).toBeRefused(403, 'account_deleted')
})

test('once both are gone, nothing of their chat is left', async () => {
  const { alice, bob, chatRoomId } = await settled()
  const [room] = await world.sql('select number from chat_rooms where id = $1', [chatRoomId])
  const log = ['messages', 'room_commits', 'archive_keys']
  for (const table of log) expect(await countOf(`${table} where room = $1`, [room?.['number']]), table).toBeGreaterThan(0)
  await Promise.all([deletes(alice), deletes(bob)])
  for (const table of log) expect(await countOf(`${table} where room = $1`, [room?.['number']]), table).toBe(0)
  const tables = ['room_groups', 'chat_participants', 'contacts']
  for (const table of tables) expect(await countOf(`${table} where chat_room_id = $1`, [chatRoomId]), table).toBe(0)
  expect(await countOf('chat_rooms where id = $1', [chatRoomId])).toBe(0)
})

test('a deletion that breaks off deletes nothing', async () => {
  const { alice } = await settled()
  const before = await everything()
  world.env.fault = (point) => {
    if (point === 'account:written') throw new Error('broken off')
  }
  onTestFinished(() => void delete world.env.fault)
  expect(await alice.tries(accountApi.remove, { password: alice.authSecret, kdf: 1 })).toBeRefused(500)
  expect(await everything()).toEqual(before)
  delete world.env.fault
  await deletes(alice)
})

test('twice at once is once', async () => {
  const alice = await someone()
  const answers = await Promise.all([1, 2, 3].map(() => alice.tries(accountApi.remove, { password: alice.authSecret, kdf: 1 })))
  const codes = answers.map((answer) => answer.code ?? 'deleted')
  expect(codes.filter((code) => code === 'deleted')).toHaveLength(1)
  expect(codes.every((code) => ['deleted', 'not_signed_in', 'invalid_credentials'].includes(code))).toBe(true)
})

test('who adds her at the moment of the deletion does not find her, whether they had a room before or not', async () => {
  const [carol, dave] = await pair()
  const alice = await someone()
  const { chatRoomId } = await alice.adds(dave)
  // This locks like the deletion: the rooms, then the account, then their data.
  const adding = await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from chat_rooms where id = ${chatRoomId} for no key update`)
    await tx.execute(sql`select from users where id = ${alice.id} for update`)
    const adding = [carol, dave].map((each) => each.tries(contactsApi.add, { username: alice.username }))
    await world.lockWaits(2)
    await tx.execute(sql`delete from contacts where chat_room_id = ${chatRoomId}`)
    await tx.execute(sql`delete from chat_rooms where id = ${chatRoomId}`)
    await tx.execute(sql`update users set deleted_at = now(), is_active = false where id = ${alice.id}`)
    return adding
  })
  for (const answer of await Promise.all(adding)) expect(answer).toBeRefused(404, 'user_not_found')
  expect(await countOf('chat_participants where user_id = $1', [alice.id])).toBe(0)
})

test('whatever happens at the same time, it comes before the deletion or is refused: no deadlock, and nothing of hers comes back', async () => {
  for (let round = 0; round < 3; round++) {
    const alice = await someone()
    const friends = await Promise.all([1, 2, 3].map(() => someone()))
    const strangers = await Promise.all([1, 2, 3].map(() => someone()))
    const rooms = await Promise.all(friends.map((friend) => friend.talksTo(alice)))
    const laptop = await alice.addsBrowser()
    const signIn = { username: alice.username, password: alice.authSecret, kdf: 1 }
    const tries = [
      ...rooms.flatMap((room, at) => [friends[at]?.posts(room, 'x'), alice.posts(room, 'y'), friends[at]?.posts(room, 'z')]),
      ...rooms.map((room) => alice.tries(messagesApi.markRead, { chatRoomId: room })),
      ...rooms.map((room, at) =>
        friends[at]?.tries(roomsApi.commit, {
          ...creation(room),
          manifestVersions: { [alice.id]: 2, [friends[at]?.id ?? '']: 1 },
        }),
      ),
      ...strangers.map((stranger) => stranger.tries(contactsApi.add, { username: alice.username })),
      world.stranger().tries(accountApi.login, signIn),
      laptop.tries(keyPackagesApi.add, { oneTime: [randomBytes(90).toString('base64')] }),
      alice.opensSocket().then(
        () => ({ status: 101 }),
        () => ({ status: 401 }),
      ),
    ]
    const removal = alice.tries(accountApi.remove, { password: alice.authSecret, kdf: 1 })
    for (const answer of await Promise.all(tries)) expect([101, 200, 401, 403, 404, 409]).toContain(answer?.status)
    // A room was created at the last moment, so the removal did nothing and is repeated.
    if ((await removal).status !== 200) {
      expect(await removal).toBeRefused(503, 'unavailable')
      await deletes(alice)
    }
    expect(await columnsWith(alice.username)).toEqual([])
    for (const table of ['sessions', 'devices', 'key_packages', 'manifests', 'contacts'])
      expect(await countOf(`${table} where user_id = $1`, [alice.id]), table).toBe(0)
    const open = 'chat_participants p join chat_rooms r on r.id = p.chat_room_id where p.user_id = $1 and not r.is_closed'
    expect(await countOf(open, [alice.id])).toBe(0)
    expect(await countOf('contacts where contact_user_id = $1 and state <> $2', [alice.id, 'accepted'])).toBe(0)
    await expect.poll(() => countOf('presence where user_id = $1', [alice.id])).toBe(0)
  }
  const deadlocks = await world.sql('select deadlocks::int from pg_stat_database where datname = current_database()')
  expect(deadlocks).toEqual([{ deadlocks: 0 }])
})

test('a mark that is on its way while the account is deleted moves nothing, and nobody is told of it', async () => {
  const { alice, bob, chatRoomId, first } = await settled()
  await bob.says(chatRoomId, sealed(first.groupId, 1))
  const line = await bob.opensSocket()
  let marked: ReturnType<Person['tries']> | undefined
  world.env.fault = async (point) => {
    if (point !== 'account:written') return
    marked = alice.tries(messagesApi.markRead, { chatRoomId })
    await world.lockWaits()
  }
  onTestFinished(() => void delete world.env.fault)
  await deletes(alice)
  expect(await marked).toBeRefused(401, 'not_signed_in')
  const [row] = await world.sql(
    'select read_seq::int, delivered_seq::int, unread_count from chat_participants where chat_room_id = $1 and user_id = $2',
    [chatRoomId, alice.id],
  )
  expect(row).toEqual({ read_seq: 0, delivered_seq: 0, unread_count: 0 })
  await line.hears('contacts')
  expect(line.frames.filter(({ type }) => type === 'receipt')).toEqual([])
  line.hangsUp()
})

test("a list that is read in the moment of its account's deletion takes its turn: neither waits for the other", async () => {
  const [alice, bob] = await pair()
  await alice.talksTo(bob)
  await alice.does(roomsApi.list, {})
  await world.sql('insert into list_floors (user_id) values ($1) on conflict do nothing', [alice.id])
  let gone: Promise<unknown> | undefined
  await world.env.db.transaction(async (tx) => {
    // The inbox's raise locks in this order.
    await tx.execute(sql`update inboxes set floor = floor where user_id = ${alice.id}`)
    gone = deletes(alice)
    await world.lockWaits()
    await tx.execute(sql`select from list_floors where user_id = ${alice.id} for update nowait`)
  })
  await gone
  for (const table of ['inboxes', 'inbox', 'list_floors'])
    expect(await countOf(`${table} where user_id = $1`, [alice.id])).toBe(0)
})

test('whoever was in a group leaves no row behind that says when they left it', async () => {
  const [alice, bob] = await pair()
  const chatRoomId = await plantGroup(world, alice, bob)
  await deletes(alice)
  expect(await countOf('chat_participants where chat_room_id = $1', [chatRoomId])).toBe(1)
  expect(await countOf('list_floors where user_id = $1', [alice.id])).toBe(0)
})
