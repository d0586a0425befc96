import { readFileSync } from 'node:fs'
import { getTableName, isTable } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import * as account from './ground/db/schema/account.ts'
import * as audit from './ground/db/schema/audit.ts'
import * as calls from './ground/db/schema/calls.ts'
import * as chatlocks from './ground/db/schema/chatlocks.ts'
import * as checks from './ground/db/schema/checks.ts'
import * as codes from './ground/db/schema/codes.ts'
import * as coins from './ground/db/schema/coins.ts'
import * as contacts from './ground/db/schema/contacts.ts'
import * as devices from './ground/db/schema/devices.ts'
import * as family from './ground/db/schema/family.ts'
import * as figures from './ground/db/schema/figures.ts'
import * as files from './ground/db/schema/files.ts'
import * as inbox from './ground/db/schema/inbox.ts'
import * as income from './ground/db/schema/income.ts'
import * as jobs from './ground/db/schema/jobs.ts'
import * as ledger from './ground/db/schema/ledger.ts'
import * as messages from './ground/db/schema/messages.ts'
import * as passkeys from './ground/db/schema/passkeys.ts'
import * as payments from './ground/db/schema/payments.ts'
import * as plancounts from './ground/db/schema/plancounts.ts'
import * as plans from './ground/db/schema/plans.ts'
import * as presence from './ground/db/schema/presence.ts'
import * as push from './ground/db/schema/push.ts'
import * as receipts from './ground/db/schema/receipts.ts'
import * as reports from './ground/db/schema/reports.ts'
import * as rooms from './ground/db/schema/rooms.ts'
import * as secrets from './ground/db/schema/secrets.ts'
import * as sessions from './ground/db/schema/sessions.ts'
import * as transfers from './ground/db/schema/transfers.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

test('every table says in SECURITY.md what bounds it, and who can make it grow', () => {
  const schema = [
    account,
    audit,
    calls,
    chatlocks,
    checks,
    codes,
    coins,
    contacts,
    devices,
    family,
    figures,
    files,
    inbox,
    income,
    jobs,
    ledger,
    messages,
    passkeys,
    payments,
    plancounts,
    plans,
    presence,
    push,
    receipts,
    reports,
    rooms,
    secrets,
    sessions,
    transfers,
  ]
  const tables = schema.flatMap((each) => Object.values<unknown>(each)).filter((each) => isTable(each))
  const named = tables.map((table) => getTableName(table)).sort()
  const text = readFileSync(new URL('../SECURITY.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, table = '']) => table)
  expect(named.length).toBeGreaterThan(15)
  expect(rows.sort()).toEqual(named)
})

test('of a hundred and one strangers who ask Alice the oldest unanswered gives way, and whoever she accepted stays', async () => {
  const [alice, bob, eve] = await Promise.all([world.person('alice'), world.person('bob'), world.person('eve')])
  await bob.talksTo(alice)
  const first = await world.person('first')
  await first.adds(alice)
  await world.sql(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     select gen_random_uuid(), 'crowd_' || n, 'x', '\\x00', '\\x00', now(), now() from generate_series(1, $1::int) n`,
    [LIMITS.requestsMax - 1],
  )
  await world.sql(
    `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), $1, u.id, 'pending', $2, now() + interval '1 second' from users u where u.username like 'crowd_%'`,
    [alice.id, (await bob.contacts())[0]?.chatRoomId],
  )
  world.passes(10)
  await eve.adds(alice)
  const asking = await world.sql("select contact_user_id as id from contacts where user_id = $1 and state = 'pending'", [
    alice.id,
  ])
  expect(asking).toHaveLength(LIMITS.requestsMax)
  expect(asking).toContainEqual({ id: eve.id })
  expect(asking).not.toContainEqual({ id: first.id })
  expect(await world.sql('select state from contacts where user_id = $1 and contact_user_id = $2', [alice.id, bob.id])).toEqual([
    { state: 'accepted' },
  ])
})

test('a stranger cannot watch when devices come and go: only who is accepted hears of a change', async () => {
  const [alice, bob, eve] = await Promise.all([world.person('alice'), world.person('bob'), world.person('eve')])
  await alice.talksTo(bob)
  await eve.adds(bob)
  const [hers, eves] = [await alice.opensSocket(), await eve.opensSocket()]
  await bob.addsBrowser()
  await hers.hears('contacts')
  eves.says({ type: 'ping', data: {} })
  await eves.hears('pong')
  expect(eves.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
  hers.hangsUp()
  eves.hangsUp()
})

test("one stranger cannot empty Bob's key packages: before he accepts she gets the last resort only", async () => {
  const [bob, eve] = await Promise.all([world.person('bob'), world.person('eve')])
  const { chatRoomId } = await eve.adds(bob)
  const claim = async () => (await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })).packages
  expect(await claim()).toHaveLength(1)
  const free = 'select from key_packages where user_id = $1 and not is_last_resort and claimed_by is null'
  expect(await world.sql(free, [bob.id])).toHaveLength(3)
  const [request] = await bob.contacts()
  await bob.does(contactsApi.accept, { contactId: request?.id ?? '' })
  expect(await claim()).toHaveLength(1)
  expect(await world.sql(free, [bob.id])).toHaveLength(2)
})

test('whoever guessed the password and signs in again and again ends no session of a browser of the account', async () => {
  const alice = await world.person('alice')
  const sign = { username: alice.username, password: alice.authSecret, kdf: 1 } as const
  await world.sql(
    `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
     select sha256(n::text::bytea), $1, now(), now() + interval '1 hour', now() + interval '1 day' from generate_series(1, $2::int) n`,
    [alice.id, LIMITS.sessionsPerUser],
  )
  const stranger = world.stranger()
  await stranger.does(accountApi.login, sign)
  expect(await world.sql('select from sessions where user_id = $1', [alice.id])).toHaveLength(LIMITS.sessionsPerUser)
  expect((await alice.tries(accountApi.user, {})).status).toBe(200)
  expect((await stranger.tries(accountApi.user, {})).status).toBe(200)
})
