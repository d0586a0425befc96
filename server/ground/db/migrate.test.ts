import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { receiptsApi } from '../../../contract/money/receipts.ts'
import { checkLedger } from '../../money/ledger/audit.ts'
import { creditPeriod, type PaidPeriod, writeReturn } from '../../money/ledger/ledger.ts'
import { cardsOf } from '../../testing/cards.ts'
import { readCatalog } from '../../testing/catalog.ts'
import { creation, following, random, sealed } from '../../testing/group.ts'
import { runOldMigrations } from '../../testing/oldmigrations.ts'
import type { Person } from '../../testing/person.ts'
import { bundle, start, stopAll } from '../../testing/program.ts'
import { startWorld } from '../../testing/world.ts'
import { createDatabase } from './create.ts'
import { migrate } from './migrate.ts'

const FOLDER = import.meta.dirname
const TOO_OLD = 'the database is of a version before commit 1f8796a. Start that version once, then this one'

afterAll(stopAll)

/** Creates an empty database. */
async function emptyDatabase(): Promise<string> {
  const template = inject('clusterUrl')
  const name = `migrate_${randomBytes(8).toString('hex')}`
  await createDatabase(template.replace('/template?', '/postgres?'), name)
  return template.replace('/template?', `/${name}?`)
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Makes a database with the newest schema. */
async function migrated(): Promise<{ url: string; client: pg.Client }> {
  const url = await emptyDatabase()
  await migrate(url, FOLDER)
  return { url, client: await open(url) }
}

/** The rows of each table, by its name. The table of plans is written by each start. */
async function readRows(client: pg.Client): Promise<Record<string, unknown[]>> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'plan_rights'",
  )
  const found: Record<string, unknown[]> = {}
  for (const { name } of rows) {
    const { rows: all } = await client.query<{ row: unknown }>(`select to_jsonb(t) as row from ${name} t order by t::text`)
    if (all.length > 0) found[name] = all.map(({ row }) => row)
  }
  return found
}

const noted = async (client: pg.Client) =>
  (await client.query('select hash, created_at from drizzle.__drizzle_migrations order by id')).rows

/** Copies migrations and functions. `edit` changes one of the files. */
async function copied() {
  const folder = await mkdtemp(path.join(tmpdir(), 'conclave-migrate-'))
  for (const name of ['migrations', 'functions']) await cp(path.join(FOLDER, name), path.join(folder, name), { recursive: true })
  const edit = async (name: string, change: (text: string) => string) => {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => '')
    expect(change(text)).not.toBe(text)
    await writeFile(path.join(folder, name), change(text))
  }
  /** Adds a migration as drizzle-kit does. */
  const add = async (tag: string, sql: string) => {
    await writeFile(path.join(folder, `migrations/${tag}.sql`), sql)
    await edit('migrations/meta/_journal.json', (text) => {
      const journal = JSON.parse(text) as { entries: object[] }
      const entry = { idx: 1, version: '7', when: Date.now(), tag, breakpoints: true }
      return JSON.stringify({ ...journal, entries: [...journal.entries, entry] })
    })
  }
  return { folder, edit, add }
}

/** Takes a migration for one that did not run. */
async function forget(client: pg.Client, tag: string): Promise<void> {
  const { entries } = JSON.parse(await readFile(path.join(FOLDER, 'migrations/meta/_journal.json'), 'utf8'))
  const { when } = entries.find((entry: { tag: string }) => entry.tag === tag)
  const { rowCount } = await client.query('delete from drizzle.__drizzle_migrations where created_at = $1', [when])
  expect(rowCount).toBe(1)
}

/** The transaction that wrote each function last. */
async function writers(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; writer: string }>(
    "select proname as name, xmin::text as writer from pg_proc where pronamespace = 'public'::regnamespace",
  )
  return Object.fromEntries(rows.map(({ name, writer }) => [name, writer]))
}

test('a database with the last of the old migrations is as a new one, keeps every row, and its people go on', async () => {
  const url = await emptyDatabase()
  await runOldMigrations(url)
  const client = await open(url)
  const fresh = await migrated()
  // Its server wrote the plans too.
  await client.query(
    'insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes) select name, name, 0, true, true, true, true, -1, 0 from unnest($1::text[]) name',
    [['free', 'test', 'premium', 'master', 'enterprise']],
  )
  // This server writes a table, and columns of accounts, that came later.
  await client.query(
    'create table card_providers (id integer primary key, provider text, is_live boolean, account text, counts boolean, start integer)',
  )
  const world = await startWorld({ at: url })
  await client.query('drop table card_providers')
  await client.query(
    'alter table users add monthly_silent_count integer not null default 0, add rings_closed boolean not null default true',
  )
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await client.query('alter table users drop monthly_silent_count, drop rings_closed')
  // By statements: this server's list of contacts reads tables that came later.
  const chatRoomId = directRoomId(alice.id, bob.id)
  await world.sql('insert into chat_rooms (id, created_by, created_at) values ($1, $2, now())', [chatRoomId, alice.id])
  for (const [id, other] of [
    [alice.id, bob.id],
    [bob.id, alice.id],
  ]) {
    await world.sql('insert into chat_participants (chat_room_id, user_id, joined_at) values ($1, $2, now())', [chatRoomId, id])
    await world.sql(
      `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
       values (gen_random_uuid(), $1, $2, 'accepted', $3, now())`,
      [id, other, chatRoomId],
    )
  }
  await world.sql(
    `insert into messages (chat_room_id, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     values ($1, 1, gen_random_uuid(), $2, 'before', 'text', false, now())`,
    [chatRoomId, alice.id],
  )
  await world.sql('update chat_rooms set last_seq = 1, last_message_seq = 1, last_message_at = now()')
  const before = await readRows(client)
  const byId = [alice, bob].sort((one, other) => (one.id < other.id ? -1 : 1))
  const later = { monthly_silent_count: 0, rings_closed: true }
  const after = {
    ...before,
    users: before['users']?.map((row) => Object.assign({}, row, later)),
    chat_participants: before['chat_participants']?.map((row) => ({
      ...Object(row),
      is_new_to_member: true,
      is_new_to_peer: true,
    })),
    plan_counts: [{ plan: 'premium', at: '-infinity', people: 2 }],
    listed_users: byId.map(({ id, username }) => expect.objectContaining({ user_id: id, words: `${username}\n${username}` })),
    card_providers: [{ id: 1, provider: 'unknown', is_live: false, account: '', counts: true, start: 0 }],
    presence: byId.map(({ id }) => expect.objectContaining({ user_id: id, nodes: [], last_seen: null })),
    chat_rooms: before['chat_rooms']?.map((row) => Object.assign({}, row, { number: 1 })),
    messages: before['messages']?.map((row) => {
      const { chat_room_id: _, ...rest } = row as Record<string, unknown>
      return { ...rest, room: 1 }
    }),
  }
  expect(before).toMatchObject({ users: [{}, {}], messages: [{}], contacts: [{}, {}], premium_packages: [{}] })

  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(await readCatalog(fresh.client))
  expect(await readRows(client)).toEqual(after)
  expect(await noted(client)).toEqual(await noted(fresh.client))
  await migrate(url, FOLDER)
  expect(await noted(client)).toEqual(await noted(fresh.client))

  await bob.says(chatRoomId, 'after')
  const contents = (await alice.does(messagesApi.list, { chatRoomId })).map(({ content }) => content)
  expect(contents).toEqual(['before', 'after'])
})

test('ledger and accounts of before are added up to what triggers write, and payments go on', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const { db } = world.env
  const pays = async (who: Person, more: Partial<PaidPeriod> = {}) => {
    const key = `coin:${randomBytes(8).toString('hex')}`
    await db.transaction((tx) =>
      creditPeriod(tx, world.env.clock(), {
        ...{ key, userId: who.id, source: 'coin', tier: 'premium', packageId: null, billingPeriod: 'monthly', amountCents: 1000 },
        ...more,
      }),
    )
    return key
  }
  const paysBack = (refersTo: string, amountCents: number) =>
    db.transaction((tx) =>
      writeReturn(tx, world.env.clock(), 'refund', { key: `back:${refersTo}:${amountCents}`, refersTo, amountCents }),
    )
  const [alice, bob, carol] = [
    await world.person('alice', 'free'),
    await world.person('bob', 'free'),
    await world.person('carol', 'free'),
  ]
  await pays(carol)
  for (const tier of ['premium', 'test'] as const) {
    const key = await pays(alice, { tier })
    await pays(alice, { tier, billingPeriod: 'yearly' })
    await pays(bob, { tier })
    world.passes(20 * 24 * 60 * 60)
    await paysBack(key, 400)
  }
  await paysBack(await pays(bob), 1000)
  await world.sql('update users set deleted_at = $2 where id = $1', [carol.id, world.env.clock()])
  const wrongSums = async () =>
    (await checkLedger(db, world.env.clock())).differences.filter((line) => !line.includes('the ledger says'))
  expect(await wrongSums()).toEqual([])
  const days = `select date_trunc('day', at) as day, sum(recurring), sum(premium), sum(subscribers), sum(paid), sum(refunded) from income group by 1
    having sum(recurring) <> 0 or sum(paid) + sum(refunded) > 0 order by 1`
  const written = await world.sql(days)

  const linked = 'select * from ledger_chain order by seq'
  const chain = await world.sql(linked)
  expect(chain.length).toBeGreaterThan(5)

  // As it was before the sums and the chain.
  await client.query(`drop table income, plan_counts, ledger_chain; drop function link_entry cascade; drop function note_income, note_end_of_income, income_of, note_plan_counts, plans_of cascade; drop index ledger_entries_grants;
    create index ledger_entries_ends on ledger_entries (ends_at) where kind = 'payment';
    create index ledger_entries_money on ledger_entries (created_at) where kind in ('payment', 'refund')`)
  for (const tag of ['0007_income', '0009_plan_counts', '0021_ledger_chain']) await forget(client, tag)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await world.sql(linked)).toEqual(chain)
  expect(await world.sql(days)).toEqual(written)
  expect(await wrongSums()).toEqual([])
  await pays(bob)
  expect(await wrongSums()).toEqual([])
})

test('accounts of before stand in the list of administrators as triggers would write them, deleted ones not, and new ones follow', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const [alice, bob, carol] = [await world.person('Alice', 'free'), await world.person('bob'), await world.person('carol')]
  await world.sql(
    "update users set display_name = 'ALICE B.', is_active = false, subscription_end_date = now(), master_account_id = $2 where id = $1",
    [alice.id, bob.id],
  )
  await world.sql("update users set is_admin = true, subscription_status = 'past_due' where id = $1", [bob.id])
  await world.sql('update users set deleted_at = now() where id = $1', [carol.id])
  await world.sql("update presence set last_seen = now() - interval '1 day' where user_id = $1", [bob.id])
  const written = 'select * from listed_users order by user_id'
  await world.sql("update presence set seen_on = (last_seen at time zone 'UTC')::date")
  const seen = 'select user_id, nodes, last_seen, seen_on from presence where user_id <> $1 order by user_id'
  const [rows, people] = [await world.sql(written), await world.sql(seen, [carol.id])]
  expect(rows).toHaveLength(2)

  await client.query(`drop table listed_users cascade; drop function list_user, begin_presence cascade; delete from presence where last_seen is null;
    alter table presence drop seen_on;
    drop index users_joined, users_package, card_accounts_package, crypto_payments_package, ledger_entries_package;
    alter table daily_figures drop storage_bytes;
    create index users_blocked on users (id) where not is_active and deleted_at is null;
    create index users_joined on users (created_at desc nulls first, deleted_at)`)
  for (const tag of ['0011_listed_users', '0020_seen_days']) await forget(client, tag)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await world.sql(written)).toEqual(rows)
  expect(await world.sql(seen, [carol.id])).toEqual(people)
  const dave = await world.person('dave')
  expect(await world.sql('select words from listed_users where user_id = $1', [dave.id])).toEqual([
    { words: `${dave.username}\n${dave.username}` },
  ])
  expect((await checkLedger(world.env.db, world.env.clock())).differences.filter((line) => line.includes('list of'))).toEqual([])
})

test('rooms of before get numbers, and all that was said, sealed and archived in them is read as before', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const { alice, bob, eve } = await world.people()
  await alice.talksTo(eve)
  const chatRoomId = await alice.talksTo(bob)
  const first = creation(chatRoomId)
  const { groupId } = first
  await alice.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  const archiveKeys = [{ userId: alice.id, groupId, epoch: 1, historyKeyId: 1, sealed: random() }]
  await alice.does(roomsApi.commit, { ...first, archiveKeys })
  const sent = await alice.says(chatRoomId, sealed(groupId, 1))
  await bob.does(roomsApi.commit, following(first))
  await bob.says(chatRoomId, 'plain', { replyToId: sent.id, isSilent: true })
  await bob.says(chatRoomId, 'newest')
  await world.sql(
    `insert into archive_pages (room, user_id, number, written_by, version, sealed)
     select number, $2, 0, $3, 1, $4 from chat_rooms where id = $1`,
    [chatRoomId, alice.id, alice.deviceId, random()],
  )
  const { counter } = await alice.does(roomsApi.list, {})
  const seen = async () => ({
    page: await alice.does(messagesApi.list, { chatRoomId }),
    log: await alice.does(roomsApi.log, { chatRoomId }),
    keys: await alice.does(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: '1' }),
    left: await alice.does(archiveApi.keysLeft, { chatRoomId }),
    archived: await alice.does(archiveApi.page, { chatRoomId, number: 0 }),
    list: (await alice.does(roomsApi.list, {})).rooms,
    news: await alice.does(notificationsApi.list, {}),
    changed: (await alice.does(roomsApi.list, { since: counter ?? '' })).rooms,
  })
  const before = await seen()
  expect(before).toMatchObject({
    ...{ page: [{}, {}, {}], log: { entries: [{}, {}, {}, {}, {}] }, keys: { keys: archiveKeys }, left: { keys: [{}] } },
    ...{ archived: { version: 1 }, news: { notifications: [{}] } },
  })

  // As it was before the numbers.
  await client.query('drop view message_receipts, notifications; drop table timed_messages')
  for (const table of ['messages', 'room_commits', 'archive_keys', 'archive_pages'])
    await client.query(`create table old_${table} as select r.id as chat_room_id, t.* from ${table} t join chat_rooms r on r.number = t.room;
      drop table ${table}; alter table old_${table} rename to ${table}; alter table ${table} drop column room`)
  await client.query('alter table chat_rooms drop column number; drop index ledger_entries_ahead')
  for (const tag of ['0013_room_numbers', '0014_timed_messages', '0015_view_once', '0016_paid_ahead']) await forget(client, tag)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await seen()).toEqual(before)
  expect(await alice.says(chatRoomId, 'after')).toMatchObject({ seq: 6 })
  expect(await alice.does(roomsApi.commit, first)).toEqual({ seq: 1 })
})

/** As it was before consents and mails about renewals. */
async function forgetsOperator(client: pg.Client) {
  await client.query(`drop table purchase_consents; drop index card_accounts_failed;
    alter table card_accounts drop column mail_about, drop column mail_tries, drop column mail_next_at`)
  await forget(client, '0025_operator')
}

test('requests in coins that were no longer looked at are looked at again, with no number that nobody knows', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const alice = await world.person('Alice', 'free')
  await world.sql(
    `insert into crypto_payments (id, user_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address, expires_at, created_at,
       scanned_height, next_look_at)
     select gen_random_uuid(), $1, 'premium', 'monthly', 'bitcoin', '1', 1, '1', address, now(), now(), 0, '2027-01-01'
     from unnest(array['looked at', 'left']) address`,
    [alice.id],
  )
  await client.query(`alter table crypto_payments drop address_index, drop ends_card, alter next_look_at drop not null;
    update crypto_payments set next_look_at = null where payment_address = 'left'`)
  await forgetsOperator(client)
  for (const tag of ['0017_kept_addresses', '0019_coins_end_cards']) await forget(client, tag)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  const rows =
    'select payment_address as address, next_look_at <= now() as due, address_index as number from crypto_payments order by 1'
  expect(await world.sql(rows)).toEqual([
    { address: 'left', due: true, number: null },
    { address: 'looked at', due: false, number: null },
  ])
})

test('cards and payments of before are of the provider with which a server starts first, and plans go on', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const cards = cardsOf(world)
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  await cards.buys(alice, 'premium')
  await cards.buys(bob, 'test')
  await bob.does(paymentsApi.refund, {})
  const kept = async () => [
    await world.sql('select key, kind, source, provider_id from ledger_entries order by place'),
    await world.sql('select user_id, provider_id, customer_id, status from card_accounts order by user_id'),
    await world.sql('select subscription_tier from users order by id'),
  ]
  const written = await kept()
  await cards.sandbox.deliver()

  // As it was before providers were kept, and receipts.
  await forgetsOperator(client)
  await client.query(`${BEFORE_RECEIPTS}; alter table ledger_entries drop column provider_id;
    alter table card_accounts drop column provider_id, drop column lost_customer_id;
    alter table card_accounts add constraint card_accounts_pkey primary key (user_id);
    drop table card_providers; drop function is_counted`)
  for (const tag of ['0018_card_providers', '0024_receipts']) await forget(client, tag)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await kept()).toEqual(written)
  const after = await startWorld({ at: url })
  expect(await kept()).toEqual(written)
  expect(await after.sql('select provider, counts from card_providers')).toEqual([{ provider: 'sandbox', counts: true }])
  expect((await checkLedger(after.env.db, after.env.clock())).differences).toEqual([])
})

const BEFORE_RECEIPTS =
  'drop table receipts, receipt_counters, business_details; alter table ledger_entries drop column tax_cents'

test('the hashes of entries of before hold, and each payment of before gets its receipt', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const world = await startWorld({ at: url })
  const cards = cardsOf(world)
  const alice = await world.person('alice', 'free')
  await cards.buys(alice, 'premium')
  await alice.does(paymentsApi.refund, {})
  const chain = await world.sql('select * from ledger_chain order by seq')

  await client.query(BEFORE_RECEIPTS)
  await forget(client, '0024_receipts')
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await world.sql('select * from ledger_chain order by seq')).toEqual(chain)
  await cards.holds()
  const { receipts } = await alice.does(receiptsApi.list, {})
  expect(receipts.map(({ printed: { kind, taxCents } }) => [kind, taxCents])).toEqual([
    ['refund', null],
    ['payment', null],
  ])
})

test('a price that no card can be charged is none, and none is written any more', async () => {
  const { url, client } = await migrated()
  const catalog = await readCatalog(client)
  const lowers = "update premium_packages set monthly_price = 49, yearly_price = 50 where tier = 'premium'"
  await expect(client.query(lowers)).rejects.toThrow('premium_packages_prices')
  await client.query('alter table premium_packages drop constraint premium_packages_prices')
  const { rowCount } = await client.query(lowers)
  await forget(client, '0022_price_floor')
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
  const { rows } = await client.query("select monthly_price, yearly_price from premium_packages where tier = 'premium'")
  expect([rowCount, rows]).toEqual([1, [{ monthly_price: 0, yearly_price: 50 }]])
})

test('a database of an older version is refused, told which version to start first, and stays as it is', async () => {
  const url = await emptyDatabase()
  await runOldMigrations(url, '0040_revenue_indexes')
  const client = await open(url)
  const [catalog, rows] = [await readCatalog(client), await noted(client)]
  await bundle('migrate-test')
  expect(await start('migrate-test', { DATABASE_URL: url })).toMatchObject({
    exit: 1,
    output: `Conclave could not start: ${TOO_OLD}\n`,
  })
  expect(await readCatalog(client)).toEqual(catalog)
  expect(await noted(client)).toEqual(rows)
}, 60_000)

test('a function is applied again when its file differs, and no other; the file of before brings it back', async () => {
  const { url, client } = await migrated()
  const { folder, edit } = await copied()
  const catalog = await readCatalog(client)
  const before = await writers(client)
  await edit('functions/ledger.sql', (text) => text.replace('only appended to', 'only added to'))
  await migrate(url, folder)
  const after = await writers(client)
  expect(after).toEqual({ ...before, refuse_change_of_ledger: expect.any(String) })
  expect(after['refuse_change_of_ledger']).not.toBe(before['refuse_change_of_ledger'])
  expect((await readCatalog(client)).join('\n')).toContain('only added to')
  await migrate(url, folder)
  expect(await writers(client)).toEqual(after)
  await migrate(url, FOLDER)
  expect(await readCatalog(client)).toEqual(catalog)
})

test('what a migration drops of the functions is there again behind it, and one that fails takes the migration back', async () => {
  const { url, client } = await migrated()
  const { folder, edit, add } = await copied()
  const before = await readCatalog(client)
  const migrations = (await noted(client)).length
  await add(
    '0002_minutes',
    'drop view notifications;--> statement-breakpoint\nalter table quiet_hours add column of_day integer;',
  )
  const broken = 'create view broken as select nothing;'
  await edit('functions/rights.sql', (text) => `${text}${broken}`)
  await expect(migrate(url, folder)).rejects.toThrow('column "nothing" does not exist')
  expect(await readCatalog(client)).toEqual(before)
  expect(await noted(client)).toHaveLength(migrations)

  await edit('functions/rights.sql', (text) => text.replace(broken, ''))
  await migrate(url, folder)
  const added = (await readCatalog(client)).filter((line) => !before.includes(line))
  expect(added).toEqual([expect.stringMatching(/^column quiet_hours 5 of_day integer/)])
  expect(before.filter((line) => !line.startsWith('column'))).toEqual(
    (await readCatalog(client)).filter((line) => !line.startsWith('column')),
  )
  expect(await noted(client)).toHaveLength(migrations + 1)
})
