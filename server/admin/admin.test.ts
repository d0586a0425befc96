import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { stepUpApi } from '../../contract/account/stepup.ts'
import { type AdminUser, adminApi } from '../../contract/admin/admin.ts'
import { auditApi } from '../../contract/admin/audit.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import { tierShape } from '../../contract/money/plans.ts'
import { sumLedger } from '../money/ledger/audit.ts'
import { countUnlisted, findWrongCounts } from '../money/ledger/store.ts'
import { moveDays } from '../people/presence/presence.ts'
import type { Person } from '../testing/person.ts'
import { startWorld } from '../testing/world.ts'
import { findAnchor, readAnchors } from './anchors.ts'
import { checkAudit, writeAudit } from './audit.ts'
import { sumPlans } from './figures.ts'
import { makeAdmin } from './operator.ts'

const world = await startWorld()
// Sums are of UTC days: all of this file comes to pass within one, at whatever hour it runs.
const DAY_SECONDS = 24 * 60 * 60
world.passes(DAY_SECONDS - ((Date.now() / 1000) % DAY_SECONDS))

async function administrator(name: string): Promise<Person> {
  const person = await world.person(name)
  await world.sql('update users set is_admin = true where id = $1', [person.id])
  return person
}
const confirms = (who: Person) => who.does(stepUpApi.confirm, { password: who.authSecret, kdf: 1 })
const surely = async (name: string) => {
  const person = await administrator(name)
  await confirms(person)
  return person
}
const rowsOf = async (who: Person, username: string) => (await who.does(auditApi.list, { username })).rows
const find = async (who: Person, search: string): Promise<AdminUser | undefined> =>
  (await who.does(adminApi.users, { search })).users[0]

test('a server without an administrator says so to whoever is signed in, and no more once it has one', async () => {
  const bob = await world.person('bob')
  expect(await bob.does(adminApi.first, {})).toEqual({ hasAdministrator: false })
  expect(await world.stranger().tries(adminApi.first, {})).toBeRefused(401, 'not_signed_in')
  expect(await bob.tries(adminApi.makeAdmin, { id: bob.id })).toBeRefused(403, 'admin_required')
  const named = await makeAdmin(world.env.db, bob.username)
  expect(named).toBe(bob.username)
  expect(await bob.does(adminApi.first, {})).toEqual({ hasAdministrator: true })
  // One who cannot sign in is none.
  await world.sql('update users set is_active = false where id = $1', [bob.id])
  const carol = await world.person('carol')
  expect(await carol.does(adminApi.first, {})).toEqual({ hasAdministrator: false })
})

test('a block ends sessions and sockets at once and says why; the end of it lets the person in again', async () => {
  const [ada, bob] = [await surely('ada'), await world.person('bob')]
  const line = await bob.opensSocket()
  expect(await ada.does(adminApi.deactivate, { id: bob.id })).toMatchObject({ id: bob.id, isActive: false })
  expect(await line.closed).toMatchObject({ code: 4401 })
  expect((await line.hears('signed_out')).data.reason).toBe('block')
  expect(await bob.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  expect(await bob.tries(accountApi.login, { username: bob.username, password: bob.authSecret, kdf: 1 })).toBeRefused(401)
  const [row] = await world.sql('select is_active, deactivated_at, deactivated_by from users where id = $1', [bob.id])
  expect(row).toEqual({ is_active: false, deactivated_at: expect.any(Date), deactivated_by: ada.id })
  expect(await world.sql('select from sessions where user_id = $1', [bob.id])).toEqual([])

  expect(await ada.does(adminApi.reactivate, { id: bob.id })).toMatchObject({ isActive: true })
  await bob.returns()
  expect(await rowsOf(ada, bob.username)).toMatchObject([
    { act: 'reactivate', actor: { username: ada.username }, subject: { username: bob.username }, after: '{"isActive":true}' },
    { act: 'deactivate', before: '{"isActive":true}', after: '{"isActive":false}' },
  ])
  // Done twice it is done once.
  await ada.does(adminApi.reactivate, { id: bob.id })
  expect(await rowsOf(ada, bob.username)).toHaveLength(2)
})

test('plan, counters and rights of an account change while its page is open, each with its row', async () => {
  const [ada, bob] = [await surely('ada'), await world.person('bob', 'free')]
  const line = await bob.opensSocket()
  await world.sql('update users set monthly_messages_count = 7 where id = $1', [bob.id])
  expect(await ada.does(adminApi.setTier, { id: bob.id, tier: 'premium' })).toMatchObject({ subscriptionTier: 'premium' })
  await line.hears('account', ({ data }) => data.what === 'plan')
  expect(await ada.does(adminApi.makeAdmin, { id: bob.id })).toMatchObject({ isAdmin: true })
  await line.hears('account', ({ data }) => data.what === 'rights')
  expect(await bob.does(accountApi.user, {})).toMatchObject({ isAdmin: true, subscriptionTier: 'premium' })
  await ada.does(adminApi.resetUsage, { id: bob.id })
  expect(await world.sql('select monthly_messages_count as count from users where id = $1', [bob.id])).toEqual([{ count: 0 }])
  expect(await ada.does(adminApi.removeAdmin, { id: bob.id })).toMatchObject({ isAdmin: false })
  expect(await bob.tries(adminApi.users, {})).toBeRefused(403, 'admin_required')
  expect((await rowsOf(ada, bob.username)).map(({ act }) => act)).toEqual([
    'remove-admin',
    'reset-usage',
    'make-admin',
    'subscription',
  ])
  // The person is shown what was done, and not by whom.
  const own = await bob.does(auditApi.own, {})
  expect(own.map(({ act }) => act)).toEqual(['remove-admin', 'reset-usage', 'make-admin', 'subscription'])
  expect(JSON.stringify(own)).not.toContain(ada.id)
  line.hangsUp()
})

test('a reset sets every counter of the month to 0, of what is sent, called and received, and nobody is shown what stood there', async () => {
  const [ada, bob] = [await administrator('ada'), await world.person('bob', 'free')]
  const room = await ada.talksTo(bob)
  await ada.says(room, 'one')
  const month = new Date(Date.UTC(world.env.clock().getUTCFullYear(), world.env.clock().getUTCMonth(), 1))
  await world.sql(
    `insert into objects (id, owner_id, kind, chat_room_id, state, size_bytes, created_at)
     values (gen_random_uuid(), $1, 'file', $2, 'used', 3145728, $3)`,
    [ada.id, room, world.env.clock()],
  )
  await world.sql('update users set monthly_messages_count = 4, usage_reset_date = $2 where id = $1', [
    ...[bob.id, new Date(month.getTime() - 1000)],
  ])
  await world.sql(
    `insert into file_usage (user_id, monthly_uploaded_bytes, uploaded_month) values ($1, 5, $2)
     on conflict (user_id) do update set monthly_uploaded_bytes = 5`,
    [bob.id, month],
  )
  await world.sql('insert into monthly_usage (user_id, month, voice_call_minutes, video_call_minutes) values ($1, $2, 6, 7)', [
    ...[bob.id, month],
  ])
  const used = () => bob.does(paymentsApi.usage, {})
  expect(await used()).toMatchObject({ messagesUsed: 1, fileStorageUsedMB: 3, videoCallMinutesUsed: 7 })
  world.passes(1)
  await ada.does(adminApi.resetUsage, { id: bob.id })
  expect(await used()).toMatchObject({ messagesUsed: 0, fileStorageUsedMB: 0, videoCallMinutesUsed: 0 })
  const counters = `select u.monthly_messages_count as sent, u.usage_reset_date as since, f.monthly_uploaded_bytes::int as bytes,
    m.voice_call_minutes as voice, m.video_call_minutes as video
    from users u join file_usage f on f.user_id = u.id join monthly_usage m on m.user_id = u.id where u.id = $1`
  expect(await world.sql(counters, [bob.id])).toEqual([{ sent: 0, since: month, bytes: 0, voice: 0, video: 0 }])
  const shown = { act: 'reset-usage', before: '{}', after: '{}' }
  expect(await rowsOf(ada, bob.username)).toMatchObject([shown])
  const kept = 'select act, before, after from audit_log where subject_id = $1'
  expect(await world.sql(kept, [bob.id])).toEqual([shown])
  // Nor what an older version wrote into its row.
  const older = {
    actorId: ada.id,
    act: 'reset-usage',
    subjectId: bob.id,
    before: { messages: 7 },
    after: { messages: 0 },
  } as const
  await world.env.db.transaction((tx) => writeAudit(tx, world.env.clock(), older))
  expect(await rowsOf(ada, bob.username)).toMatchObject([shown, shown])
  // The month goes on.
  await ada.says(room, 'two')
  expect(await used()).toMatchObject({ messagesUsed: 1 })
})

test('rights, blocks and plans need a confirmation, counters do not; test and master are not given here', async () => {
  const [ada, bob] = [await administrator('ada'), await world.person('bob')]
  for (const call of [adminApi.makeAdmin, adminApi.removeAdmin, adminApi.deactivate, adminApi.reactivate])
    expect(await ada.tries(call, { id: bob.id })).toBeRefused(401, 'step_up_required')
  expect(await ada.tries(adminApi.setTier, { id: bob.id, tier: 'free' })).toBeRefused(401, 'step_up_required')
  expect((await ada.tries(adminApi.resetUsage, { id: bob.id })).status).toBe(200)
  await confirms(ada)
  for (const tier of ['test', 'master', 'gold'])
    expect(await ada.tries(adminApi.setTier, { id: bob.id, tier })).toBeRefused(400, 'invalid_input')
  expect(await ada.tries(adminApi.deactivate, { id: crypto.randomUUID() })).toBeRefused(404, 'user_not_found')
})

test('nobody blocks themselves, and the last administrator is neither demoted nor blocked', async () => {
  await world.sql('update users set is_admin = false')
  const [ada, ben] = [await surely('ada'), await world.person('ben')]
  expect(await ada.tries(adminApi.removeAdmin, { id: ada.id })).toBeRefused(409, 'last_administrator')
  expect(await ada.tries(adminApi.deactivate, { id: ada.id })).toBeRefused(409, 'last_administrator')
  await ada.does(adminApi.makeAdmin, { id: ben.id })
  expect(await ada.tries(adminApi.deactivate, { id: ada.id })).toBeRefused(409, 'cannot_block_self')
  // An administrator who is blocked does not count.
  await ada.does(adminApi.deactivate, { id: ben.id })
  expect(await ada.tries(adminApi.removeAdmin, { id: ada.id })).toBeRefused(409, 'last_administrator')
  await ada.does(adminApi.reactivate, { id: ben.id })
  expect(await ada.does(adminApi.removeAdmin, { id: ada.id })).toMatchObject({ isAdmin: false })
  expect(await ada.tries(adminApi.users, {})).toBeRefused(403, 'admin_required')
})

test('of two administrators who demote each other at once one stays, again and again', async () => {
  for (let round = 0; round < 5; round++) {
    await world.sql('update users set is_admin = false')
    const [ada, ben] = await Promise.all([surely('ada'), surely('ben')])
    const answers = await Promise.all([
      ada.tries(adminApi.removeAdmin, { id: ben.id }),
      ben.tries(adminApi.removeAdmin, { id: ada.id }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(await world.sql('select from users where is_admin')).toHaveLength(1)
  }
})

test('the last administrator does not delete the own account, and keeps the card; a second one may', async () => {
  await world.sql('update users set is_admin = false')
  const [ada, ben] = [await surely('ada'), await world.person('ben', 'free')]
  const deletes = (who: Person) => who.tries(accountApi.remove, { password: who.authSecret, kdf: 1 })
  expect(await deletes(ada)).toBeRefused(409, 'last_administrator')
  expect(await find(ada, ada.username)).toMatchObject({ isAdmin: true })
  await ada.does(adminApi.makeAdmin, { id: ben.id })
  expect((await deletes(ada)).status).toBe(200)
  expect((await ben.does(adminApi.users, { state: 'admin' })).users.map(({ id }) => id)).toEqual([ben.id])
})

test('of deletions and demotions of two administrators at once one succeeds, again and again, and one administrator stays', async () => {
  for (let round = 0; round < 8; round++) {
    await world.sql('update users set is_admin = false')
    const [ada, ben] = await Promise.all([surely('ada'), surely('ben')])
    const deletes = (who: Person) => who.tries(accountApi.remove, { password: who.authSecret, kdf: 1 })
    const other = round % 2 === 0 ? () => ben.tries(adminApi.removeAdmin, { id: ben.id }) : () => deletes(ben)
    const answers = await Promise.all([deletes(ada), other()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await world.sql('select from users where is_admin and is_active and deleted_at is null')).toHaveLength(1)
  }
})

test('Eve is no administrator as a user, as a blocked administrator, or as one who was demoted with her tab open', async () => {
  const ada = await surely('ada')
  const [eve, blocked, demoted] = [await world.person('eve'), await surely('blocked'), await surely('demoted')]
  await demoted.does(adminApi.users, {})
  await ada.does(adminApi.deactivate, { id: blocked.id })
  await ada.does(adminApi.removeAdmin, { id: demoted.id })
  const calls = [adminApi.deactivate, adminApi.makeAdmin, adminApi.resetUsage] as const
  for (const call of calls) {
    expect(await eve.tries(call, { id: ada.id })).toBeRefused(403, 'admin_required')
    expect(await demoted.tries(call, { id: ada.id })).toBeRefused(403, 'admin_required')
    expect(await blocked.tries(call, { id: ada.id })).toBeRefused(401, 'not_signed_in')
  }
  expect(await find(ada, ada.username)).toMatchObject({ isActive: true, isAdmin: true })
  expect(await rowsOf(ada, eve.username)).toEqual([])
})

test('an administrator whose session ends while the act waits does nothing', async () => {
  const [ada, bob] = [await surely('ada'), await world.person('bob')]
  const held = await world.pool.connect()
  try {
    await held.query('begin')
    await held.query('select pg_advisory_xact_lock(7302116)')
    const blocking = ada.tries(adminApi.deactivate, { id: bob.id })
    await world.lockWaits()
    await world.sql('delete from sessions where user_id = $1', [ada.id])
    await held.query('commit')
    expect(await blocking).toBeRefused(401, 'not_signed_in')
  } finally {
    held.release()
  }
  expect((await bob.tries(accountApi.user, {})).status).toBe(200)
})

test('the list is searched, filtered, sorted and paged, of ten thousand accounts too', async () => {
  const ada = await administrator('ada')
  await world.sql(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at, subscription_tier)
     select gen_random_uuid(), 'crowd_' || n, 'Person 100% ' || n, '\\x00', '\\x00', now(), now() - n * interval '1 minute',
       case when n % 10 = 0 then 'enterprise' else 'free' end from generate_series(1, 10000) n`,
  )
  const list = (filter: object) => ada.does(adminApi.users, filter)
  expect(await list({ search: 'CROWD_77' })).toMatchObject({ total: 111 })
  expect(await list({ search: '100%' })).toMatchObject({ total: 10_000 })
  expect(await list({ search: 'crowd%1' })).toMatchObject({ total: 0, users: [] })
  expect(await list({ tier: 'enterprise' })).toMatchObject({ total: 1000 })
  expect(await list({ tier: 'enterprise', state: 'inactive' })).toMatchObject({ total: 0 })
  const pages = await Promise.all([1, 2, 500, 501].map((page) => list({ search: 'crowd_', page })))
  expect(pages.map(({ users }) => users.length)).toEqual([20, 20, 20, 0])
  expect(new Set(pages.flatMap(({ users }) => users.map(({ id }) => id))).size).toBe(60)
  expect(pages[0]?.users[0]?.username).toBe('crowd_1')
  expect((await list({ search: 'crowd_', sort: 'name', page: 500 })).users.at(-1)?.username).toBe('crowd_9999')
  const [first] = (await list({ sort: 'seen' })).users
  expect(first).not.toHaveProperty('email')
  expect(first).not.toHaveProperty('subscriptionEndDate')
  expect(await ada.does(adminApi.subscriptionStats, {})).toMatchObject({ enterprise: 1000 })
})

test.each([
  ['joined', 'u.created_at desc, u.id'],
  ['name', 'lower(u.username)'],
  ['seen', 'p.seen_on desc nulls last, u.id'],
] as const)('each account stands on one page of the list by %s, whichever end it is read from', async (sort, order) => {
  const ada = await administrator('ada')
  const name = `paged_${sort}`
  await world.sql(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at, deleted_at)
     select gen_random_uuid(), $1 || '_' || n, 'x', '', '', now(), now() - n % 7 * interval '1 minute', case when n % 10 = 0 then now() end
     from generate_series(1, 150) n`,
    [name],
  )
  await world.sql(
    `update presence p set nodes = case when n % 2 = 0 then array[id] else '{}' end,
       last_seen = case when n % 5 > 0 then now() - n % 9 * interval '1 minute' end,
       seen_on = case when n % 5 > 0 then current_date - n % 9 end
     from users, lateral (select substring(username from '[0-9]+$')::int as n) t
     where p.user_id = id and username like $1 || '%' and n % 3 > 0`,
    [name],
  )
  const expected = await world.sql(
    `select u.id from users u left join presence p on p.user_id = u.id
     where u.username like $1 || '%' and u.deleted_at is null order by ${order}`,
    [name],
  )
  const pages = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((page) => ada.does(adminApi.users, { search: name, sort, page })))
  expect(pages.map(({ users, total }) => [users.length, total])).toEqual(
    [20, 20, 20, 20, 20, 20, 15, 0].map((rows) => [rows, 135]),
  )
  expect(pages.flatMap(({ users }) => users.map(({ id }) => id))).toEqual(expected.map(({ id }) => id))
})

test('the counts of plans and the list by plan and state are those of the accounts, after any change, fold and end', async () => {
  const ada = await administrator('ada')
  const tiers = ['free', 'test', 'premium', 'master', 'enterprise', 'gold']
  const [bought, unknown] = [randomUUID(), randomUUID()]
  await world.sql(
    `insert into premium_packages (id, name, description, tier, created_at, updated_at)
     select id::uuid, 'x', 'x', 'premium', now(), now() from unnest($1::text[]) id`,
    [[bought, unknown]],
  )
  await world.sql(
    `insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes)
     select 'package:' || $1, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes
     from plan_rights where plan = 'premium'`,
    [bought],
  )
  const counted = async () => {
    const rows = await world.sql(
      `select coalesce(r.tier, 'free') as tier, count(*)::int as people
       from users u left join lateral rights_of(u.id, $1) r on true where u.deleted_at is null group by 1`,
      [world.env.clock()],
    )
    const known = Object.fromEntries(rows.map(({ tier, people }) => [tier, people]))
    const total = rows.reduce((sum, { people }) => sum + Number(people), 0)
    return { ...{ free: 0, test: 0, premium: 0, master: 0, enterprise: 0 }, ...known, total }
  }
  const ids = (
    await world.sql(
      `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
       select gen_random_uuid(), 'planned_' || n, 'x', '', '', now(), now() from generate_series(1, 40) n returning id`,
    )
  ).map(({ id }) => id)
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let step = 0; step < 60; step++) {
    const now = world.env.clock().getTime()
    const [tier, end] = [tiers[next(tiers.length)], next(2) === 0 ? null : new Date(now + (next(40) - 10) * 60_000)]
    const packageId = [null, null, bought, unknown][next(4)]
    await world.sql(
      `update users set subscription_tier = $2, subscription_end_date = $3, subscription_package_id = $4, subscription_status = $5,
         master_account_id = $6, deleted_at = $7, is_active = $8, is_admin = $9 where id = $1`,
      [
        ...[ids[next(40)], tier, end, packageId, next(5) === 0 ? 'past_due' : 'active'],
        ...[next(3) === 0 ? ids[next(40)] : null, next(9) === 0 ? new Date(now) : null, next(4) > 0, next(6) === 0],
      ],
    )
    if (step % 10 === 3) await world.sql('delete from users where id = $1', [ids[next(40)]])
    if (step % 10 === 7) await world.sql('update users set deleted_at = $2 where id = $1', [ids[next(40)], new Date(now)])
    if (step % 10 === 5) await sumPlans(world.env)
    world.passes(60)
    expect(await ada.does(adminApi.subscriptionStats, {}), `step ${step}`).toEqual(await counted())
    const [tierAsked, stateAsked] = [tierShape.options[next(6)], ([undefined, 'active', 'inactive', 'admin'] as const)[next(4)]]
    const search = next(2) === 0 ? '' : 'planned'
    const fitting = await world.sql(
      `select u.id from users u where u.deleted_at is null and ($2::text is null or coalesce((select tier from rights_of(u.id, $1)), 'free') = $2)
         and case $3 when 'active' then u.is_active when 'inactive' then not u.is_active when 'admin' then u.is_admin else true end
         and u.username like '%' || $4 || '%' order by u.created_at desc, u.id`,
      [world.env.clock(), tierAsked ?? null, stateAsked ?? 'all', search],
    )
    const { users, total } = await ada.does(adminApi.users, {
      search,
      ...(tierAsked && { tier: tierAsked }),
      ...(stateAsked && { state: stateAsked }),
    })
    const found = [total, ...users.map(({ id }) => id)]
    expect(found, `step ${step}`).toEqual([fitting.length, ...fitting.slice(0, 20).map(({ id }) => id)])
  }
  expect(await findWrongCounts(world.env.db, world.env.clock())).toEqual([])
  await sumPlans(world.env)
  const rows = await world.sql('select plan from plan_counts where at <= $1', [world.env.clock()])
  expect(new Set(rows.map(({ plan }) => plan)).size).toBe(rows.length)
})

test('the list has each account as it is, whatever of it changes at once, and is made anew where somebody has changed it by hand', async () => {
  const ada = await administrator('ada')
  const { db } = world.env
  const rows = await world.sql(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     select gen_random_uuid(), 'raced_' || n, 'x', '', '', now(), now() from generate_series(1, 3) n returning id`,
  )
  const changes = [
    "username = 'Raced_' || substring(username from '[0-9].*$') || '_'",
    ...["display_name = display_name || 'Y'", 'is_active = not is_active', 'is_admin = not is_admin'],
    ...["subscription_tier = 'premium'", "subscription_end_date = now() + interval '1 day'", 'master_account_id = id'],
    'deleted_at = case when deleted_at is null then now() end',
  ]
  await Promise.all(
    Array.from({ length: 5 }, () => changes)
      .flat()
      .map((change, at) => world.sql(`update users set ${change} where id = $1`, [rows[at % 3]?.['id']])),
  )
  expect(await countUnlisted(db)).toBe(0)
  const living = await world.sql(
    "select id from users where username ilike 'raced%' and deleted_at is null order by lower(username)",
  )
  const asked = { search: 'RACED_', sort: 'name' } as const
  expect((await ada.does(adminApi.users, asked)).users.map(({ id }) => id)).toEqual(living.map(({ id }) => id))

  await world.sql("update listed_users set words = 'nobody' where words like 'raced%'")
  await world.sql('delete from listed_users where user_id = $1', [ada.id])
  await world.sql('delete from presence where user_id = $1', [ada.id])
  expect(await countUnlisted(db)).toBe(living.length + 1)
  await sumLedger(db)
  expect(await countUnlisted(db)).toBe(0)
  expect((await ada.does(adminApi.users, asked)).users.map(({ id }) => id)).toEqual(living.map(({ id }) => id))
})

test('a changed, a missing and an added row of the audit trail are found and named', async () => {
  const ada = await surely('ada')
  const bob = await world.person('bob')
  for (const tier of ['free', 'premium', 'enterprise'] as const) await ada.does(adminApi.setTier, { id: bob.id, tier })
  const check = () => ada.does(auditApi.check, {})
  const whole = await check()
  expect(whole).toEqual({ count: expect.any(Number), brokenAt: null, newestHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const at = whole.count - 1
  const added = 'insert into audit_log (seq, actor_id, act, subject_id, before, after, created_at, hash) select'
  const rest = `act, subject_id, before, after, created_at, hash from audit_log where seq = ${at}`
  const tampers = [
    [`update audit_log set actor_id = $2 where seq = $1`, [at, bob.id], at],
    [`update audit_log set after = '{"tier":"free"}' where seq = $1`, [at], at],
    [`update audit_log set subject_id = null where seq = $1`, [at], at],
    [`update audit_log set created_at = created_at + interval '1 ms' where seq = $1`, [at], at],
    [`delete from audit_log where seq = $1`, [at], at],
    [`${added} $1, actor_id, ${rest}`, [whole.count + 1], whole.count + 1],
    [`${added} $1, null, ${rest}`, [0], 1],
  ] as const
  for (const [tamper, values, brokenAt] of tampers) {
    const client = await world.pool.connect()
    try {
      if (!tamper.startsWith('insert'))
        await expect(client.query(tamper, [...values])).rejects.toThrow('The audit trail is only appended to')
      await world.sql('alter table audit_log disable trigger user')
      await world.sql('create table kept as select * from audit_log')
      await client.query(tamper, [...values])
      expect(await check(), tamper).toMatchObject({ brokenAt })
      await world.sql('delete from audit_log')
      await world.sql('insert into audit_log select * from kept')
      await world.sql('drop table kept')
      await world.sql('alter table audit_log enable trigger user')
    } finally {
      client.release()
    }
  }
  expect(await check()).toEqual(whole)
  await expect(world.sql('truncate audit_log')).rejects.toThrow('The audit trail is only appended to')
  // Rows that are cut off at the end leave no gap, so their hash is kept elsewhere.
  const { db } = world.env
  const kept = (await readAnchors(db)).find(({ chain }) => chain === 'audit')?.hash ?? ''
  expect(await findAnchor(db, kept)).toEqual({ chain: 'audit', seq: whole.count })
  const cut = db.transaction(async (tx) => {
    await tx.execute('alter table audit_log disable trigger user')
    await tx.execute(`delete from audit_log where seq = ${whole.count}`)
    expect(await checkAudit({ db: tx })).toMatchObject({ brokenAt: null })
    expect(await findAnchor(tx, kept)).toBeUndefined()
    throw new Error('undone')
  })
  await expect(cut).rejects.toThrow('undone')
})

test('sums of a day are of all, and of fewer than ten people none is shown', async () => {
  const ada = await administrator('ada')
  const bob = await world.person('bob')
  await world.person('mia', 'master')
  const room = await ada.talksTo(bob)
  await bob.says(room, 'counted')
  await world.jobs.runDue()
  const { days, plans } = await ada.does(adminApi.analytics, {})
  const [sent] = await world.sql('select count(*)::int as messages from messages')
  expect(sent?.['messages']).toBeGreaterThan(0)
  expect(days.at(-1)).toMatchObject({ messages: sent?.['messages'] })
  expect(days.at(-1)?.signUps).toBeGreaterThan(10)
  const { total, ...known } = await ada.does(adminApi.subscriptionStats, {})
  for (const { tier, people } of plans) expect(people).toBe(known[tier])
  expect(plans.find(({ tier }) => tier === 'enterprise')?.people).toBeGreaterThanOrEqual(1000)
  // A sum of a day does not fall when the people are seen on the next one.
  world.passes(DAY_SECONDS)
  await world.jobs.runDue()
  const next = await ada.does(adminApi.analytics, {})
  expect(next.days.at(-2)).toEqual(days.at(-1))
  expect(next.days.at(-1)).toMatchObject({ messages: null, signUps: null, active: null })
  expect(await ada.does(adminApi.system, {})).toMatchObject({ databaseVersion: expect.any(String), processes: 1 })
})

test('whoever watches the list by last seen learns the day of somebody, and not when they come and go', async () => {
  const [ada, bob, carol] = [await administrator('ada'), await world.person('watched_b'), await world.person('watched_c')]
  const come = async (who: Person) => {
    const line = await who.opensSocket()
    const isHere = () => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [who.id])
    await expect.poll(isHere).toEqual([{ here: true }])
    return async () => {
      line.hangsUp()
      await expect.poll(isHere).toEqual([{ here: false }])
    }
  }
  const list = async () => (await ada.does(adminApi.users, { sort: 'seen', search: 'watched' })).users
  for (const who of [bob, carol]) await (await come(who))()
  const before = await list()
  const today = world.env.clock().toISOString().slice(0, 10)
  expect(before.map(({ id }) => id)).toEqual([bob.id, carol.id].sort())
  expect(before.map(({ lastSeen }) => lastSeen)).toEqual([`${today}T00:00:00.000Z`, `${today}T00:00:00.000Z`])
  for (const who of [bob, carol]) {
    const leave = await come(who)
    expect(await list()).toEqual(before)
    await leave()
    expect(await list()).toEqual(before)
  }
  // Who stays over midnight is here on the next day too.
  const leave = await come(bob)
  world.passes(DAY_SECONDS)
  expect(await moveDays(world.env)).toBe(false)
  const next = new Date(world.env.clock()).toISOString().slice(0, 10)
  expect(await find(ada, bob.username)).toMatchObject({ lastSeen: `${next}T00:00:00.000Z` })
  expect(await find(ada, carol.username)).toMatchObject({ lastSeen: `${today}T00:00:00.000Z` })
  await leave()
})
