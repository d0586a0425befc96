import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { PASSKEY_LIMITS } from '../contract/account/assertion.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { familyApi } from '../contract/account/family.ts'
import { keyPackagesApi } from '../contract/account/keypackages.ts'
import { passkeysApi } from '../contract/account/passkeys.ts'
import { stepUpApi } from '../contract/account/stepup.ts'
import { chatLocksApi } from '../contract/chat/chatlocks.ts'
import { codesApi } from '../contract/chat/contactcodes.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { filesApi, uploaderApi } from '../contract/chat/files.ts'
import { pushApi } from '../contract/chat/push.ts'
import { PUSH_LIMITS } from '../contract/chat/pushlimits.ts'
import { REPORT_LIMITS } from '../contract/chat/reportlimits.ts'
import { reportsApi } from '../contract/chat/reports.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { RATES, type Rate } from '../contract/ground/rates.ts'
import type { RefusalCode } from '../contract/ground/refusals.ts'
import { base64Chars } from '../contract/ground/shapes.ts'
import { coinsApi } from '../contract/money/coins.ts'
import { newAuthenticator } from './testing/authenticator.ts'
import type { Answer } from './testing/browser.ts'
import { creation, random } from './testing/group.ts'
import { newDeviceId, signedBook, signedKeys, withDevice } from './testing/keys.ts'
import { newAuthSecret, type Person } from './testing/person.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

/** Eve with a free account, and Bob, who has accepted her. */
async function pair(at = world) {
  const [eve, bob] = [await at.person('eve', 'free'), await at.person('bob', 'free')]
  const chatRoomId = await eve.talksTo(bob)
  const [contact] = await eve.contacts()
  return { eve, bob, chatRoomId, contactId: contact?.id ?? '' }
}
type Pair = Awaited<ReturnType<typeof pair>>

interface Bound {
  /** Rows that a free account may have. */
  most: number
  /** The longest that the contract lets in, and something for what is beside it. */
  rowBytes: number
  /** Whose rows they are, by $1, Eve's id. */
  whose?: string
  /** Makes $2 rows of Eve's, where calls alone would take too long. `crowd` are as many other accounts. */
  fill?: string
  /** Tries for one more. A refusal, or the end of an older row, are both a bound. */
  grows(pair: Pair): Promise<unknown>
}

const SIGNED_BYTES = LIMITS.bodyBytes + base64Chars(64)
const TOO_LONG = { content: 'x'.repeat(LIMITS.bodyBytes + 1), signature: random(64) }
const refuses = async (answer: Promise<Answer>, status: number, code: RefusalCode) =>
  expect(await answer).toBeRefused(status, code)

async function changesDocuments({ eve }: Pair): Promise<void> {
  for (const documents of [
    { keyring: TOO_LONG, manifest: SMALL },
    { keyring: SMALL, manifest: TOO_LONG },
  ])
    await refuses(eve.tries(devicesApi.changeKeys, { ...documents, historySeals: [] }), 400, 'invalid_input')
  await eve.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
}
const SMALL = { content: '{}', signature: random(64) }

/** What a free account can make grow, beside the bytes of a day (`keyBytes.test.ts`). */
const BOUNDS: Record<string, Bound> = {
  sessions: {
    ...{ most: LIMITS.sessionsPerUser, rowBytes: 300 },
    fill: `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
      select sha256(($1 || n)::bytea), $1::uuid, now(), now() - interval '1 hour', now() + interval '1 day' from generate_series(2, $2::int) n`,
    grows: ({ eve }) => eve.elsewhere(),
  },
  sign_ins: {
    ...{ most: LIMITS.signInsPerUser, rowBytes: 300 + LIMITS.devicesMax * 40 },
    fill: `insert into sign_ins (id, user_id, browser, system, ingress, signed_in_at)
      select gen_random_uuid(), $1::uuid, '', '', 'direct', now() - interval '1 hour' from generate_series(1, $2::int)`,
    grows: ({ eve }) => eve.elsewhere(),
  },
  keyrings: { ...{ most: 1, rowBytes: SIGNED_BYTES }, grows: changesDocuments },
  manifests: { ...{ most: 1, rowBytes: SIGNED_BYTES }, grows: changesDocuments },
  manifest_versions: {
    ...{ most: LIMITS.manifestVersions, rowBytes: SIGNED_BYTES },
    fill: `insert into manifest_versions (user_id, version, content, signature)
      select $1::uuid, 1 - n, '{}', '' from generate_series(1, $2::int) n`,
    grows: changesDocuments,
  },
  passkeys: {
    ...{ most: PASSKEY_LIMITS.max, rowBytes: 1500 },
    fill: `insert into passkeys (user_id, id, public_key, counter, host, name, created_at)
      select $1::uuid, 'p' || n, '\\x00', 0, 'x', 'x', now() from generate_series(1, $2::int) n`,
    grows: async ({ eve }) => {
      const { challenge } = await eve.does(passkeysApi.challenge, {})
      const passkey = newAuthenticator(eve.origin ?? world.url, eve.id)
      await eve.tries(passkeysApi.add, { ...passkey.registers(challenge), name: 'My key' })
    },
  },
  devices: {
    ...{ most: LIMITS.devicesMax, rowBytes: 300 },
    grows: async ({ eve }) => {
      await fillDevices(eve)
      const [other, deviceId] = [await eve.elsewhere(), newDeviceId()]
      const keys = signedKeys(withDevice(eve.identity, deviceId), deviceId)
      const answer = await other.tries(devicesApi.enrol, { ...keys, proof: await other.proofBy(deviceId) })
      expect(answer.status).toBeGreaterThanOrEqual(400)
    },
  },
  books: {
    ...{ most: LIMITS.devicesMax + 1, rowBytes: base64Chars(LIMITS.bookBytes) },
    fill: `insert into books (user_id, device_id, version, history_key_id, sealed)
      select $1::uuid, md5(n::text), 0, 1, '' from generate_series(2, $2::int) n`,
    grows: async ({ eve }) => {
      const { version } = await eve.does(devicesApi.book, {})
      const long = signedBook(eve.identity, eve.deviceId, {
        version: version + 1,
        sealed: 'A'.repeat(base64Chars(LIMITS.bookBytes) + 4),
      })
      await refuses(eve.tries(devicesApi.saveBook, long), 400, 'invalid_input')
      await eve.does(devicesApi.saveBook, signedBook(eve.identity, eve.deviceId, { version: version + 1 }))
    },
  },
  history_seals: {
    ...{ most: LIMITS.historySealsPerDevice, rowBytes: LIMITS.devicesMax * (base64Chars(2048) + 200) },
    fill: `insert into history_seals (user_id, device_id, history_key_id, sealed)
      select $1::uuid, d.id, 1 - n, '' from devices d, generate_series(1, $2::int) n where d.user_id = $1::uuid`,
    grows: ({ eve }) => eve.changesKeys({ keepsHistory: !eve.identity.manifest.keepsHistory }),
  },
  key_packages: {
    ...{ most: (LIMITS.keyPackagesOneTime + 1) * LIMITS.devicesMax, rowBytes: base64Chars(8 * 1024) + 200 },
    grows: async ({ eve }) => {
      const oneTime = Array.from({ length: LIMITS.keyPackagesOneTime }, () => random(300))
      for (const more of [oneTime, oneTime]) await eve.does(keyPackagesApi.add, { oneTime: more, lastResort: random(300) })
      const rows = await world.sql('select from key_packages where user_id = $1', [eve.id])
      expect(rows).toHaveLength(LIMITS.keyPackagesOneTime + 1)
    },
  },
  contacts: {
    ...{ most: LIMITS.contactsMax + LIMITS.requestsMax, rowBytes: 400 },
    fill: `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
      select gen_random_uuid(), $1::uuid, crowd.id, 'accepted', (select chat_room_id from contacts where user_id = $1::uuid limit 1), now()
      from crowd limit ${LIMITS.contactsMax - 1}`,
    grows: async ({ eve }) => {
      await refuses(
        eve.tries(contactsApi.add, { username: (await world.person('dave', 'free')).username }),
        409,
        'too_many_contacts',
      )
    },
  },
  contact_qr_codes: {
    ...{ most: 1, rowBytes: 300, whose: 'user_id = $1 and is_active' },
    grows: ({ eve }) => eve.does(codesApi.generate, {}),
  },
  contact_code_uses: {
    ...{ most: LIMITS.codeUsesMax, rowBytes: 300, whose: 'owner_id = $1' },
    fill: `insert into contact_code_uses (id, owner_id, user_id, qr_token, used_at)
      select gen_random_uuid(), $1::uuid, id, '', now() - interval '1 hour' from crowd`,
    grows: async ({ eve, bob }) => {
      const { qrToken } = await eve.does(codesApi.generate, {})
      await bob.does(codesApi.redeem, { qrToken: qrToken ?? '' })
    },
  },
  reports: {
    ...{ most: REPORT_LIMITS.reportsPerUser, whose: 'reporter_id = $1' },
    rowBytes: 4 * (REPORT_LIMITS.reportTextMax + REPORT_LIMITS.reportedMessagesMax * REPORT_LIMITS.reportedTextMax),
    fill: `insert into reports (reporter_id, id, reported_id, chat_room_id, category, text, messages, created_at)
      select $1::uuid, gen_random_uuid(), $1::uuid, '', 'spam', '', '[]', now() - interval '1 hour' from generate_series(1, $2::int)`,
    grows: ({ eve, contactId }) =>
      eve.does(reportsApi.send, { contactId, id: randomUUID(), category: 'spam', text: '', messages: [] }),
  },
  chat_locks: {
    ...{ most: LIMITS.contactsMax, rowBytes: 300 },
    grows: async ({ eve, contactId }) => {
      const password = newAuthSecret()
      await eve.does(stepUpApi.confirm, { password: eve.authSecret, kdf: 1 })
      await eve.tries(chatLocksApi.set, { contactId, password, confirmPassword: password })
      const rows = await world.sql('select from chat_locks where user_id = $1', [eve.id])
      expect(rows).toHaveLength(1)
    },
  },
  objects: {
    ...{ most: 1 + LIMITS.uploadsWaitingMax, rowBytes: LIMITS.photoBytes, whose: "owner_id = $1 and state <> 'dropped'" },
    grows: async ({ eve }) => {
      await refuses(eve.tries(uploaderApi.params, {}), 403, 'subscription_required')
      await refuses(eve.tries(uploaderApi.begin, {}), 403, 'subscription_required')
      for (let uploads = 0; uploads < LIMITS.uploadsWaitingMax; uploads++) await eve.does(filesApi.upload, {})
    },
  },
  push_subscriptions: {
    ...{ most: PUSH_LIMITS.pushSubscriptionsMax, rowBytes: PUSH_LIMITS.pushEndpointMax + 300 },
    fill: `insert into push_subscriptions (endpoint_hash, user_id, session_hash, endpoint, p256dh, auth, created_at, told_at)
      select sha256(($1 || n)::bytea), $1::uuid, (select token_hash from sessions where user_id = $1::uuid limit 1), '', '\\x00', '\\x00', now(), now()
      from generate_series(1, $2::int) n`,
    grows: ({ eve }) =>
      eve.tries(pushApi.subscribe, {
        endpoint: `https://push.example.org/${randomUUID()}`,
        keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
      }),
  },
  quiet_hours: {
    ...{ most: 1, rowBytes: 200 },
    grows: ({ eve }) =>
      eve.does(pushApi.setQuietHours, { quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } }),
  },
  generation_claims: {
    ...{ most: LIMITS.contactsMax * LIMITS.devicesMax, rowBytes: 200 },
    grows: async ({ eve, chatRoomId }) => {
      await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
      expect(await world.sql('select from generation_claims where user_id = $1', [eve.id])).toHaveLength(1)
    },
  },
  key_bytes: {
    ...{ most: 1, rowBytes: 200 },
    grows: async ({ eve, chatRoomId }) => {
      await eve.tries(roomsApi.commit, creation(chatRoomId))
    },
  },
}

/** As many browsers as a list takes. */
async function fillDevices(eve: Person): Promise<void> {
  while (eve.identity.manifest.devices.length < LIMITS.devicesMax) eve.identity = withDevice(eve.identity, newDeviceId())
  const { version, devices } = eve.identity.manifest
  const { content, signature } = signedKeys(eve.identity, eve.deviceId).manifest
  const row = [eve.id, version, content, signature]
  await world.sql('update manifests set version = $2, content = $3, signature = $4 where user_id = $1', row)
  await world.sql(
    `insert into devices (user_id, id, added_at, last_seen_at) select $1, id, now(), now() from unnest($2::text[]) id on conflict do nothing`,
    [eve.id, devices.map(({ id }) => id)],
  )
}

const CROWD = `with crowd as (
  insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
  select gen_random_uuid(), left($1, 8) || '_' || n, 'x', '\\x00', '\\x00', now(), now() from generate_series(1, $2::int) n returning id) `

test.each(Object.entries(BOUNDS))(
  'whatever Eve does with a free account, her rows of %s end at their bound',
  async (table, bound) => {
    const all = await pair()
    const { most, fill, whose = 'user_id = $1' } = bound
    if (fill) await world.sql(fill.includes('crowd') ? CROWD + fill : `with one as (select $1::text) ${fill}`, [all.eve.id, most])
    for (let more = 0; more < 2; more++) await bound.grows(all)
    const rows = await world.sql(`select count(*)::int as count from ${table} where ${whose}`, [all.eve.id])
    expect(rows[0]?.['count']).toBeLessThanOrEqual(most)
    if (fill) expect(rows[0]?.['count']).toBeGreaterThan(most / 2)
  },
)

interface Rated {
  rate: Rate
  by: 'address' | 'user' | 'session'
  call(pair: Pair): Promise<Answer>
}

/** What grows with each call, so by its rate alone. */
const RATED: Record<string, Rated> = {
  users: { rate: 'register', by: 'address', call: async () => await registers() },
  retired_names: { rate: 'register', by: 'address', call: async () => await registers() },
  used_challenges: { rate: 'passkeyChallenges', by: 'address', call: ({ eve }) => eve.tries(passkeysApi.loginChallenge, {}) },
  chat_rooms: { rate: 'addContact', by: 'user', call: addsBob },
  chat_participants: { rate: 'addContact', by: 'user', call: addsBob },
  uncounted_rooms: { rate: 'addContact', by: 'user', call: addsBob },
  inbox: { rate: 'addContact', by: 'user', call: addsBob },
  plan_counts: { rate: 'register', by: 'address', call: async () => await registers() },
  shown_manifests: { rate: 'addContact', by: 'user', call: addsBob },
  open_chats: { rate: 'unlocks', by: 'session', call: unlocks },
  chat_tries: { rate: 'unlocks', by: 'session', call: unlocks },
  purchase_consents: {
    ...{ rate: 'coinPayments', by: 'user' },
    call: asksForCoins,
  },
  crypto_payments: {
    ...{ rate: 'coinPayments', by: 'user' },
    call: asksForCoins,
  },
}

function asksForCoins({ eve }: Pair): Promise<Answer> {
  return eve.tries(coinsApi.createPayment, { packageId: randomUUID(), currency: 'bitcoin', billingPeriod: 'monthly' })
}

function unlocks({ eve, contactId }: Pair): Promise<Answer> {
  return eve.tries(chatLocksApi.verify, { contactId, password: newAuthSecret() })
}

function addsBob({ eve, bob }: Pair): Promise<Answer> {
  return eve.tries(contactsApi.add, { username: bob.username })
}

function registers(): Promise<Answer> {
  const password = newAuthSecret()
  const form = { username: 'another', displayName: 'x', password, confirmPassword: password, kdf: 1 as const }
  return strict.stranger().tries(accountApi.register, form)
}

const strict = await startWorld({ hasLimits: true })

async function hashOf({ id }: Person): Promise<string> {
  const [row] = await strict.sql("select encode(token_hash, 'hex') as hash from sessions where user_id = $1", [id])
  return String(row?.['hash'])
}

test('whatever grows with each call ends for the day, or for the hour, with the rate of that call', async () => {
  const all = await pair(strict)
  const keys = { user: all.eve.id, session: await hashOf(all.eve), address: '127.0.0.1' }
  const takenOf = new Map<Rate, Promise<unknown>>()
  for (const [table, { rate, by, call }] of Object.entries(RATED)) {
    // Signing up has counted already.
    if (!takenOf.has(rate))
      takenOf.set(
        rate,
        strict.env.limits.take(rate, keys[by], RATES[rate].points).catch(() => undefined),
      )
    await takenOf.get(rate)
    expect([table, await call(all)]).toMatchObject([table, { status: 429, code: 'too_many_requests' }])
  }
})

/** One row an account, of cards one at each provider too, which operators add: its key says so. */
const ONE_EACH = [
  'list_floors',
  'listed_users',
  'inboxes',
  'presence',
  'file_usage',
  'card_accounts',
  'monthly_usage',
  'business_details',
]
/** Members write them, and the day's bytes count each write (`keyBytes.test.ts`). */
const OF_THE_DAY = ['room_commits', 'room_groups', 'archive_keys', 'archive_pages']
const OF_PAID_PLANS = [
  'messages',
  'timed_messages',
  'calls',
  'transfers',
  'object_parts',
  'master_invitations',
  'ledger_entries',
  'ledger_chain',
  'receipts',
  'guarantee_cards',
  'income',
  'crypto_arrivals',
  'crypto_reviews',
  'card_events',
]
const OF_OPERATORS = [
  ...['audit_log', 'daily_figures', 'plan_rights', 'premium_packages', 'crypto_indexes', 'sandbox_objects', 'jobs'],
  ...['card_providers', 'money_checks', 'receipt_counters', 'server_nodes', 'server_secrets'],
]

test('there is no table that none of these tests has looked at', async () => {
  const tables = await world.sql("select tablename as name from pg_tables where schemaname = 'public' order by 1")
  const looked = [...Object.keys(BOUNDS), ...Object.keys(RATED), ...ONE_EACH, ...OF_THE_DAY, ...OF_PAID_PLANS, ...OF_OPERATORS]
  expect(looked.sort()).toEqual(tables.map(({ name }) => name))
  const keys = await world.sql(
    `select c.conrelid::regclass::text as name from pg_constraint c
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
     where c.contype = 'p' group by 1 having array_agg(a.attname::text) <@ '{user_id,provider_id}'`,
  )
  expect(keys.map(({ name }) => name)).toEqual(expect.arrayContaining(ONE_EACH))
})

test('what costs most is not for a free account: it sends nothing, shares no file, invites nobody', async () => {
  const { eve, chatRoomId } = await pair()
  await refuses(eve.posts(chatRoomId, 'x'), 403, 'subscription_required')
  await refuses(eve.tries(familyApi.invite, { email: 'a@example.org' }), 403, 'master_required')
  for (const table of OF_PAID_PLANS) expect([table, await world.sql(`select from ${table} limit 1`)]).toEqual([table, []])
})

test('whatever a free account can make grow stops at the bound that SECURITY.md names', () => {
  const text = readFileSync(new URL('../SECURITY.md', import.meta.url), 'utf8')
  const cells = [...text.matchAll(/^\| `([a-z_]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)]
  const said = new Map(cells.map(([, table = '', most = '']) => [table, most]))
  const bytes = Object.entries(BOUNDS).map(([table, { most, rowBytes }]) => [table, shown(most * rowBytes)])
  expect(Object.fromEntries(bytes.map(([table = '']) => [table, said.get(table)]))).toEqual(Object.fromEntries(bytes))
  const day = shown(LIMITS.keyBytesADay)
  for (const table of ['room_commits', 'room_groups', 'archive_keys', 'archive_pages'])
    expect(said.get(table)).toContain(`${day} a day`)
  expect(said.get('messages')).toBe(`${shown(RATES.messagesADay.points * LIMITS.contentBytes)} a day`)
  expect([...said.values()].filter((most) => most === '')).toEqual([])
})

/** In kB below one MB. */
const shown = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.ceil(bytes / 1_000_000)} MB`
