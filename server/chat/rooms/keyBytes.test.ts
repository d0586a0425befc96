import { expect, test } from 'vitest'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { creation, following, random, sealed } from '../../testing/group.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** The same bytes that somebody would have needed thousands of calls for. */
const hasTaken = (person: Person, bytes: number) =>
  world.sql(
    `insert into key_bytes (user_id, day, taken_bytes) values ($1, date_trunc('day', $3::timestamptz, 'UTC'), $2)
     on conflict (user_id) do update set day = excluded.day, taken_bytes = excluded.taken_bytes`,
    [person.id, bytes, world.env.clock()],
  )
const takenBy = async (person: Person) =>
  Number((await world.sql('select taken_bytes from key_bytes where user_id = $1', [person.id]))[0]?.['taken_bytes'])

async function pair(tier: 'free' | 'premium' = 'free') {
  const [eve, bob] = [await world.person('eve', tier), await world.person('bob', 'premium')]
  const chatRoomId = await eve.talksTo(bob)
  const group = creation(chatRoomId)
  await eve.does(roomsApi.commit, group)
  return { eve, bob, chatRoomId, group }
}

/** With one contact that has accepted too. */
const BUDGET = LIMITS.keyBytesADay + LIMITS.keyBytesADayOfContact

test('Nobody fills the disk by commits, GroupInfo, archive keys or pages: an account has a day’s bytes of them, and on the next day it goes on', async () => {
  const { eve, chatRoomId, group } = await pair()
  const password = newAuthSecret()
  const [contact] = await eve.contacts()
  const contactId = contact?.id ?? ''
  await eve.does(stepUpApi.confirm, { password: eve.authSecret, kdf: 1 })
  await eve.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  const next = following(group)
  const { groupId } = group
  const historyKeyId = eve.identity.manifest.historyKeyId
  const key = { userId: eve.id, groupId, epoch: 1, historyKeyId, sealed: random(1200) }
  const page = { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(1200), epochs: [] }
  const writes = () => [
    eve.tries(roomsApi.replaceGroupInfo, { chatRoomId, groupId, epoch: 1, groupInfo: random(1200) }),
    eve.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key] }),
    eve.tries(archiveApi.putPage, page),
    eve.tries(roomsApi.commit, { ...next, commit: random(1200) }),
  ]
  await hasTaken(eve, BUDGET - 1000)
  const stored = async () => [
    await world.sql('select count(*)::int as n from room_commits where room = (select number from chat_rooms where id = $1)', [
      chatRoomId,
    ]),
    await world.sql('select count(*)::int as n from archive_keys where room = (select number from chat_rooms where id = $1)', [
      chatRoomId,
    ]),
    await world.sql('select count(*)::int as n from archive_pages where room = (select number from chat_rooms where id = $1)', [
      chatRoomId,
    ]),
    await world.sql('select group_info from room_groups where chat_room_id = $1', [chatRoomId]),
  ]
  const before = await stored()
  for (const answer of await Promise.all(writes())) expect(answer).toBeRefused(429, 'key_bytes_reached')
  expect(await stored()).toEqual(before)
  // What was refused is not counted: smaller ones still pass.
  expect(await takenBy(eve)).toBe(BUDGET - 1000)
  await eve.does(roomsApi.commit, next)
  expect(await takenBy(eve)).toBe(BUDGET - 1000 + next.commit.length + next.groupInfo.length)
  world.passes(24 * 60 * 60)
  await eve.does(chatLocksApi.verify, { contactId, password })
  const again = { ...following(next), commit: random(1200) }
  expect((await eve.tries(roomsApi.commit, again)).status).toBe(200)
  expect(await takenBy(eve)).toBe(again.commit.length + again.groupInfo.length)
})

test('claimed key packages count too, which lie beside those that are not claimed', async () => {
  const { eve, chatRoomId } = await pair()
  await hasTaken(eve, BUDGET)
  expect(await eve.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })).toBeRefused(429, 'key_bytes_reached')
})

test('the wait that is named ends at midnight UTC, and the same commit is taken then', async () => {
  const { eve, group } = await pair()
  await hasTaken(eve, BUDGET)
  const draft = following(group)
  const refused = await eve.tries(roomsApi.commit, draft)
  const seconds = (refused.body as { retryAfterSeconds: number }).retryAfterSeconds
  expect(refused.body).toMatchObject({ error: 'Your chats have renewed too many keys today' })
  const at = world.env.clock().getTime() + seconds * 1000
  expect(Math.abs(at - Math.ceil(world.env.clock().getTime() / 86_400_000) * 86_400_000)).toBeLessThan(60_000)
  world.passes(seconds)
  expect((await eve.tries(roomsApi.commit, draft)).status).toBe(200)
})

test('an account of many chats may renew the keys of all of them: each contact who has accepted adds to the day, up to a bound', async () => {
  const { eve, bob, chatRoomId, group } = await pair()
  await hasTaken(eve, LIMITS.keyBytesADay)
  const next = following(group)
  await eve.does(roomsApi.commit, next)
  // Whom she only asks adds nothing.
  const [contact] = await bob.contacts()
  await bob.does(contactsApi.remove, { contactId: contact?.id ?? '' })
  expect(await eve.tries(roomsApi.commit, { ...following(next) })).toBeRefused(429, 'key_bytes_reached')
  await bob.does(contactsApi.add, { username: eve.username })
  await world.sql(
    `with crowd as (
       insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
       select gen_random_uuid(), 'crowd_' || n, 'x', '\\x00', '\\x00', now(), now() from generate_series(1, 1000) n returning id),
     mine as (
       insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
       select gen_random_uuid(), $1, id, 'accepted', $2, now() from crowd)
     insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), id, $1, 'accepted', $2, now() from crowd`,
    [eve.id, chatRoomId],
  )
  await hasTaken(eve, LIMITS.keyBytesADayMax - 1000)
  expect((await eve.tries(roomsApi.commit, following(next))).status).toBe(200)
  expect(await eve.tries(roomsApi.commit, { ...following(following(next)), commit: random(1200) })).toBeRefused(
    429,
    'key_bytes_reached',
  )
})

test('A stranger stores five commits with somebody who has not accepted, and no sixth; once they have accepted or written, the chat goes on', async () => {
  const [eve, bob] = [await world.person('eve'), await world.person('bob')]
  const { chatRoomId } = await eve.adds(bob)
  let draft = creation(chatRoomId)
  await eve.does(roomsApi.commit, draft)
  for (let commits = 1; commits < LIMITS.commitsOfRequest; commits++) {
    draft = following(draft)
    await eve.does(roomsApi.commit, draft)
  }
  expect(await eve.tries(roomsApi.commit, following(draft))).toBeRefused(429, 'request_unanswered')
  // The same commit again is an answer that was lost.
  expect((await eve.tries(roomsApi.commit, draft)).status).toBe(200)
  const [request] = await bob.contacts()
  await bob.does(contactsApi.accept, { contactId: request?.id ?? '' })
  draft = following(draft)
  await eve.does(roomsApi.commit, draft)
  await bob.says(chatRoomId, sealed(draft.groupId, draft.epoch + 1))
  // Whoever has taken Eve off the list again is not betrayed by a refusal.
  await bob.does(contactsApi.remove, { contactId: request?.id ?? '' })
  expect((await eve.tries(roomsApi.commit, following(draft))).status).toBe(200)
})

test('a block changes nothing of it: who is blocked is refused or taken as before', async () => {
  const { eve, bob, group } = await pair()
  let draft = group
  for (let commits = 1; commits < LIMITS.commitsOfRequest; commits++) {
    draft = following(draft)
    await eve.does(roomsApi.commit, draft)
  }
  const [contact] = await bob.contacts()
  await bob.does(contactsApi.block, { contactId: contact?.id ?? '' })
  expect((await eve.tries(roomsApi.commit, following(draft))).status).toBe(200)
})
