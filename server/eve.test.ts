import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { accountApi } from '../contract/account/account.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { recoveryApi } from '../contract/account/recovery.ts'
import { sessionsApi } from '../contract/account/sessions.ts'
import { codesApi } from '../contract/chat/contactcodes.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { filesApi, uploaderApi } from '../contract/chat/files.ts'
import { objectIdOf } from '../contract/chat/objects.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { everyEndpoint } from '../contract/every.ts'
import { CLOSE } from '../contract/frames.ts'
import type { Access, Assurance, BodyKind, Endpoint } from '../contract/ground/endpoint.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import type { RefusalCode } from '../contract/ground/refusals.ts'
import { base64Chars } from '../contract/ground/shapes.ts'
import { type Answer, type Browser, newBrowser } from './testing/browser.ts'
import type { Person } from './testing/person.ts'
import { plantEndpoints, planted } from './testing/planted.ts'
import { startWorld } from './testing/world.ts'

// All cases are generated from the contract, so a new call is attacked from its first day.
const every: Endpoint[] = [...everyEndpoint, ...Object.values(planted)]
const world = await startWorld({ plant: plantEndpoints })
const onion = { ingress: 'onion' as const, isSecure: false, hasProxy: false, origins: () => [world.url] }
const byOnion = `http://127.0.0.1:${await world.opens(onion)}`
const { alice, bob, carol, eve } = await world.people()
const dave = await world.person('dave', 'master')
await world.sql('update users set is_admin = true where id = $1', [carol.id])
const chatRoomId = await alice.talksTo(bob)
await alice.says(chatRoomId, 'between Alice and Bob')
const [contact] = await alice.contacts()
const { qrToken } = await alice.does(codesApi.generate, {})
await bob.does(codesApi.redeem, { qrToken: qrToken ?? '' })
const [use] = await alice.does(codesApi.uses, {})
const [session] = await alice.does(sessionsApi.list, {})

const { uploadURL: photo } = await alice.does(filesApi.upload, {})
const objectId = objectIdOf(photo)
const upload = await alice.does(uploaderApi.begin, {})

const paymentId = randomUUID()
await world.sql(
  `insert into crypto_payments (id, user_id, package_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address,
     expires_at, created_at, scanned_height, next_look_at)
   values ($1, $2, gen_random_uuid(), 'premium', 'monthly', 'bitcoin', '1', 1, '1', 'bc1qalice', now(), now(), 0, now())`,
  [paymentId, alice.id],
)

const number = '2026-000001'
await world.sql(
  "insert into receipts (seq, number, user_id, is_test, issued_at, printed) values (1, $1, $2, false, now(), '{}')",
  [number, alice.id],
)

const callId = randomUUID()
await world.sql(
  `insert into calls (id, caller_id, callee_id, call_type, attempt, caller_session, is_rung, rang_at, answered_at)
   values ($1, $2, $3, 'voice', 1, '\\x00', true, now(), now())`,
  [callId, alice.id, bob.id],
)

const transferId = randomUUID()
await world.sql(
  `insert into transfers (id, sender_id, receiver_id, sender_device, receiver_device, attempt, bytes, created_at)
   values ($1, $2, $3, $4, $5, 1, 1048576, now())`,
  [transferId, alice.id, bob.id, alice.deviceId, bob.deviceId],
)

const random = () => randomBytes(48).toString('base64')
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const kindOf = ({ body = 'json' }: Endpoint): BodyKind => body
const inQuery = (each: Endpoint) => each.method === 'GET' || each.method === 'DELETE' || kindOf(each) !== 'json'
const named = (endpoints: Endpoint[]) => endpoints.map((each) => [nameOf(each), each] as const)

/** Calls that are open to strangers. Every other call needs a session. */
const OPEN = [
  'POST /api/login/salt',
  'POST /api/register',
  'POST /api/login',
  'POST /api/login/kit',
  'POST /api/login/passkey/options',
  'POST /api/login/passkey',
  'POST /api/logout',
  'GET /api/username-available',
  'GET /api/health',
  'GET /api/invitations/:token',
  'GET /api/offers',
  'GET /api/openapi.json',
  'POST /api/webhooks/stripe',
  'POST /planted/webhook',
]

/**
 * Calls for a session of an account with keys before a device has signed for it: the current user, the calls for enrolment and
 * recovery, and orders that the account's keys sign. Every other call needs the device [Note: D4].
 */
const UNPROVEN = [
  'GET /api/user',
  'POST /api/account/recover',
  'POST /api/account/recover/book',
  'POST /api/account/keys',
  'PUT /api/change-password',
  'POST /api/account/delete',
  'GET /api/account/keys',
  'PUT /api/account/keys',
  'POST /api/devices',
  'GET /api/devices/unlock',
  'GET /api/devices/challenge',
  'POST /api/devices/proof',
  'POST /api/sessions/sleep',
]

/** Calls for a sleeping session, which is that of a locked browser or of one that was away for a day. */
const ASLEEP = [
  'GET /api/user',
  'GET /api/notifications/unread-count',
  'GET /api/devices/unlock',
  'GET /api/devices/challenge',
  'POST /api/devices/proof',
  'POST /api/sessions/sleep',
  // What its service worker needs where the browser has another subscription.
  'GET /api/push/key',
  'POST /api/push/subscriptions',
]

/** The kinds of access that a session alone does not give: a person who has each, and the refusal that others get. */
const RIGHTS: Record<Exclude<Access, 'anyone' | 'signed_in'>, { holder: Person; code: RefusalCode }> = {
  admin: { holder: carol, code: 'admin_required' },
  master: { holder: dave, code: 'master_required' },
}
const rightOf = ({ access }: Endpoint) => (access === 'admin' || access === 'master' ? RIGHTS[access] : undefined)
const holderOf = (each: Endpoint): Person => rightOf(each)?.holder ?? eve

const assuranceOf = ({ access, assurance }: Endpoint): Assurance => assurance ?? (access === 'anyone' ? 'session' : 'account')

/** The refusal for a proven session when a call needs a recent confirmation. */
const STEP_UP = { status: 401, code: 'step_up_required' } as const
const isRecent = (each: Endpoint) => assuranceOf(each) === 'recent'

/** Signs in with the password to a session that names the owner's device, which has not signed for it. */
async function unproven({ username, authSecret, deviceId }: Person): Promise<Browser> {
  const browser = world.stranger()
  await browser.does(accountApi.login, { username, password: authSecret, kdf: 1, deviceId })
  return browser
}

/** Has the cookie of a browser that was locked, one of each owner for the tests that follow each other. */
const cookies = new Map<Person, string | undefined>()
async function asleep(owner: Person): Promise<Browser> {
  const thief = world.stranger()
  if (!cookies.has(owner)) {
    const browser = await unproven(owner)
    await browser.proves(owner.deviceId)
    await browser.does(sessionsApi.sleep, {})
    cookies.set(owner, browser.cookie)
  }
  thief.cookie = cookies.get(owner)
  return thief
}

/** An account that a program made: it has no keys and therefore no device. */
const bare = world.stranger()
const bareForm = { username: 'a_program', displayName: 'A program', password: 'hunter22', confirmPassword: 'hunter22' }
const { id: bareId } = await bare.does(accountApi.register, bareForm)

/** Valid inputs that name data of Alice and Bob. */
const theirs: Record<string, Record<string, unknown>> = {
  'POST /api/contacts/:contactId/accept': { contactId: contact?.id },
  'POST /api/contacts/:contactId/decline': { contactId: contact?.id },
  'POST /api/qr-code/uses/:useId/answer': { useId: use?.id },
  'DELETE /api/contacts/:contactId': { contactId: contact?.id },
  'POST /api/contacts/:contactId/restore': { contactId: contact?.id },
  'POST /api/contacts/:contactId/block': { contactId: contact?.id },
  'POST /api/contacts/:contactId/unblock': { contactId: contact?.id },
  'POST /api/contacts/:contactId/report': { contactId: contact?.id, id: randomUUID(), category: 'spam', text: '', messages: [] },
  'DELETE /api/contacts/:contactId/clear-chat': { contactId: contact?.id },
  'POST /api/contacts/:contactId/set-password': { contactId: contact?.id, password: 'hunter22', confirmPassword: 'hunter22' },
  'POST /api/contacts/:contactId/verify-password': { contactId: contact?.id, password: 'hunter22' },
  'POST /api/contacts/:contactId/remove-password': { contactId: contact?.id },
  'POST /api/contacts/:contactId/lock': { contactId: contact?.id },
  'POST /api/contacts/:contactId/give-up-history': { contactId: contact?.id, chatRoomId },
  'GET /api/users/:userId/manifest': { userId: alice.id },
  'GET /api/messages': { chatRoomId },
  'POST /api/messages': { chatRoomId, content: 'let me in', messageType: 'text' },
  'POST /api/messages/:chatRoomId/mark-read': { chatRoomId },
  'POST /api/messages/:chatRoomId/mark-delivered': { chatRoomId, seq: 1 },
  'POST /api/notifications/read': { rooms: [{ chatRoomId, seq: 1 }] },
  'POST /api/notifications/:chatRoomId/mute': { chatRoomId, term: 'always' },
  'POST /api/notifications/:chatRoomId/unmute': { chatRoomId },
  'GET /api/rooms/:chatRoomId/group': { chatRoomId },
  'GET /api/rooms/:chatRoomId/log': { chatRoomId },
  'POST /api/rooms/:chatRoomId/commits': {
    ...{
      chatRoomId,
      generation: 1,
      groupId: random(),
      epoch: 0,
      commit: random(),
      groupInfo: random(),
      archiveKeys: [],
      manifestVersions: {},
      afterSeq: 0,
    },
  },
  'POST /api/rooms/:chatRoomId/key-packages': { chatRoomId, generation: 1 },
  'GET /api/rooms/:chatRoomId/archive-keys': { chatRoomId, groupId: random(), epochs: '1' },
  'POST /api/rooms/:chatRoomId/archive-keys': {
    chatRoomId,
    keys: [{ userId: eve.id, groupId: random(), epoch: 1, historyKeyId: 1, sealed: random() }],
  },
  'GET /api/rooms/:chatRoomId/archive-keys/all': { chatRoomId },
  'GET /api/rooms/:chatRoomId/archive-pages': { chatRoomId },
  'GET /api/rooms/:chatRoomId/archive-pages/:number': { chatRoomId, number: 0 },
  'PUT /api/rooms/:chatRoomId/archive-pages/:number': {
    ...{ chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: random(), epochs: [] },
  },
  'GET /api/turn': { callId },
  'POST /api/transfers/:transferId/end': { transferId, reason: 'cancelled' },
  'GET /api/receipts/:number': { number },
  'DELETE /api/sessions/:sessionId': { sessionId: session?.id },
  'GET /api/crypto/check-payment/:paymentId': { paymentId },
  'POST /api/crypto/submit-transaction/:paymentId': { paymentId, paymentAddress: 'bc1qalice', transactionHash: 'ab'.repeat(32) },
  'PUT /objects/uploads/:objectId': { objectId },
  'GET /objects/uploads/:objectId': { objectId },
  'POST /objects/uploads/:objectId': { objectId: upload.key },
  'DELETE /objects/uploads/:objectId': { objectId: upload.key },
  'GET /s3/multipart/:uploadId': upload,
  'GET /s3/multipart/:uploadId/:partNumber': { ...upload, partNumber: 1 },
  'POST /s3/multipart/:uploadId/complete': { ...upload, parts: [{ PartNumber: 1, ETag: '"x"' }] },
  'DELETE /s3/multipart/:uploadId': upload,
  'PUT /api/rooms/:chatRoomId/group-info': { chatRoomId, groupId: random(), epoch: 1, groupInfo: random() },
}

/** Names in a path that are no ids. */
const names: Record<string, Record<string, string>> = { 'PUT /planted/files/:name': { name: 'photo' } }

function fieldsOf(endpoint: Endpoint): string[] {
  const schema = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })
  return Object.keys(schema.properties ?? {})
}

const addressOf = (endpoint: Endpoint): string =>
  endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    String({ ...theirs[nameOf(endpoint)], ...names[nameOf(endpoint)] }[name] ?? randomUUID()),
  )

/** What Eve may not change. */
const TABLES = [
  'messages',
  'room_commits',
  'archive_keys',
  'contacts',
  'contact_code_uses',
  'reports',
  'chat_rooms',
  'chat_participants',
  'key_packages',
  'manifests',
  'keyrings',
  'books',
  'history_seals',
  'passkeys',
  'plan_rights',
  'premium_packages',
  'ledger_entries',
  'card_accounts',
  'receipts',
  'business_details',
  'jobs',
  'push_subscriptions',
  'quiet_hours',
  'calls',
  'transfers',
  'crypto_payments',
  'crypto_reviews',
  'audit_log',
  // Eve's own uploads come and go.
  `(select * from objects where owner_id = '${alice.id}')`,
  `(select * from file_usage where user_id = '${alice.id}')`,
  'object_parts',
]
// One statement, because it is asked after each of hundreds of tests.
const allOfThem = TABLES.map(
  (table, place) => `select ${place} as place, count(*)::int, md5(string_agg(t::text, '|' order by t::text)) from ${table} t`,
).join(' union all ')
const snapshot = () => world.sql(`${allOfThem} order by place`)
// Her own notes may come.
await eve.does(roomsApi.openNotes, {})
const untouched = await snapshot()

// The calls that she tries include those that sign her out.
beforeEach(async () => {
  if ((await eve.tries(contactsApi.list, {})).status !== 200) await eve.returns()
})
afterEach(async () => {
  // After all attempts the process is alive, and nothing of Alice and Bob has changed.
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id })
  expect(await snapshot()).toEqual(untouched)
})

test('a call that is not named here as open to strangers needs a session', () => {
  const open = every.filter(({ access }) => access === 'anyone').map(nameOf)
  expect(open.sort()).toEqual([...OPEN].sort())
})

test('there is a call of every access, assurance and kind of body to attack', () => {
  const all = (of: (each: Endpoint) => unknown) => [...new Set(every.map(of))].sort()
  expect(all(({ access }) => access)).toEqual(['admin', 'anyone', 'master', 'signed_in'])
  expect(all(assuranceOf)).toEqual(['account', 'device', 'recent', 'session'])
  expect(all(kindOf)).toEqual(['json', 'raw', 'stream'])
})

test.each(named(every.filter((each) => !OPEN.includes(nameOf(each)))))(
  'without a session %s is refused',
  async (name, endpoint) => {
    const stranger = world.stranger()
    for (const input of [{}, theirs[name] ?? {}]) expect(await stranger.tries(endpoint, input)).toBeRefused(401, 'not_signed_in')
    stranger.cookie = `conclave_session=${randomBytes(32).toString('base64url')}`
    expect(await stranger.tries(endpoint, theirs[name] ?? {})).toBeRefused(401, 'not_signed_in')
  },
)

test.each(named(every.filter((each) => !OPEN.includes(nameOf(each)))))(
  'with a copied session of the direct listener %s is refused on the onion',
  async (name, endpoint) => {
    const thief = newBrowser(byOnion, world.url)
    thief.cookie = `conclave_onion_session=${holderOf(endpoint).cookie?.split('=')[1]}`
    for (const input of [{}, theirs[name] ?? {}]) expect(await thief.tries(endpoint, input)).toBeRefused(401, 'not_signed_in')
  },
)

test.each(named(every.filter(rightOf)))('without the right to it %s is refused, whatever Eve sends', async (name, endpoint) => {
  for (const input of [{}, theirs[name] ?? {}, { isAdmin: true, access: 'admin', subscriptionTier: 'master' }])
    expect(await eve.tries(endpoint, input)).toBeRefused(403, rightOf(endpoint)?.code)
})

test.each(named(every.filter(isRecent)))('without a confirmation %s is refused', async (name, endpoint) => {
  for (const input of [{}, theirs[name] ?? {}])
    expect(await holderOf(endpoint).tries(endpoint, input)).toBeRefused(STEP_UP.status, STEP_UP.code)
})

test('a call that is not named here as open to who has the password alone needs a device of the account', () => {
  const open = every.filter((each) => each.access !== 'anyone' && assuranceOf(each) === 'session').map(nameOf)
  expect(open.sort()).toEqual([...UNPROVEN].sort())
})

test.each(named(every.filter(({ access }) => access !== 'anyone')))(
  'who has the password and names a device of the account has no more of %s than is named here',
  async (name, endpoint) => {
    const thief = await unproven(holderOf(endpoint))
    for (const input of [{}, theirs[name] ?? {}]) {
      const answer = await thief.tries(endpoint, input)
      if (UNPROVEN.includes(name)) expect(answer.code).not.toBe('device_required')
      else expect(answer).toBeRefused(403, 'device_required')
    }
    if (name !== 'POST /api/devices/proof') return
    expect(await thief.tries(endpoint, { deviceId: eve.deviceId, proof: await thief.proofBy(alice.deviceId) })).toBeRefused(400)
    expect(await thief.tries(contactsApi.list, {})).toBeRefused(403, 'device_required')
  },
)

test('no more calls than are named here are open to a locked browser', () => {
  expect(
    every
      .filter(({ whileAsleep }) => whileAsleep)
      .map(nameOf)
      .sort(),
  ).toEqual([...ASLEEP].sort())
})

test.each(named(every.filter(({ access }) => access !== 'anyone')))(
  'who sits at a locked browser, or has its cookie, has no more of %s than is named here',
  async (name, endpoint) => {
    const thief = await asleep(holderOf(endpoint))
    for (const input of [{}, theirs[name] ?? {}]) {
      const answer = await thief.tries(endpoint, input)
      if (ASLEEP.includes(name)) expect(answer.code).not.toBe('device_required')
      else expect(answer).toBeRefused(403, 'device_required')
    }
  },
)

test.each(named(every.filter((each) => each.access === 'signed_in')))(
  'a program, whose account has no keys, needs a device for %s only where it is about sealed messages',
  async (name, endpoint) => {
    const answer = await bare.tries(endpoint, { ...theirs[name], ...('keys' in (theirs[name] ?? {}) && { userId: bareId }) })
    if (assuranceOf(endpoint) === 'device') expect(answer).toBeRefused(403, 'device_required')
    else expect(answer.code).not.toBe('device_required')
  },
)

test('the socket tells a session that no device has signed for who it is, and nothing else', async () => {
  const [thief, hers] = [await unproven(bob), await alice.opensSocket()]
  const line = await thief.opensSocket()
  expect((await line.hears('hello')).data.userId).toBe(bob.id)
  line.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  expect(await line.closed).toMatchObject({ code: CLOSE.deviceRequired })
  expect(line.frames.map((frame) => frame.type)).toEqual(['hello'])
  // The socket does not make Bob appear online.
  expect(hers.frames.map((frame) => frame.type)).toEqual(['hello'])
  hers.hangsUp()
  await hers.closed
})

test('every call that takes an id of others has an attack in this file', () => {
  const taking = every.filter((endpoint) =>
    fieldsOf(endpoint).some((field) =>
      /^(chatRoomId|contactId|userId|sessionId|useId|objectId|paymentId|callId|transferId)$/.test(field),
    ),
  )
  expect(taking.length).toBeGreaterThan(10)
  // Whoever offers a file chooses the id.
  const named = [...Object.keys(theirs), 'POST /api/transfers']
  expect(taking.map(nameOf).filter((name) => !named.includes(name))).toEqual([])
})

test.each(named(every.filter((each) => nameOf(each) in theirs)))(
  "with Alice's and Bob's ids %s finds nothing for Eve, the same as with ids of nobody",
  async (name, endpoint) => {
    const input = theirs[name] ?? {}
    const refused = await eve.tries(endpoint, input)
    expect(refused).toBeRefused(404, 'not_found')
    const nobody = {
      chatRoomId: `dm_${randomUUID()}_${randomUUID()}`,
      contactId: randomUUID(),
      userId: randomUUID(),
      sessionId: randomUUID(),
      useId: randomUUID(),
      objectId: randomUUID(),
      callId: randomUUID(),
      transferId: randomUUID(),
    }
    const unknown = Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, key in nobody ? nobody[key as keyof typeof nobody] : value]),
    )
    expect(await eve.tries(endpoint, unknown)).toMatchObject({ status: refused.status, body: refused.body })
  },
)

test.each(named(every.filter((each) => !inQuery(each))))('a broken body for %s is refused by name', async (_name, endpoint) => {
  const post = (body: string, contentType = 'application/json') =>
    holderOf(endpoint).request(endpoint.method, addressOf(endpoint), { body, headers: { 'content-type': contentType } })
  const { status, code } = isRecent(endpoint) ? STEP_UP : ({ status: 400, code: 'invalid_input' } as const)
  expect(await post('{"a":')).toBeRefused(400, 'malformed_body')
  expect(await post('[1]')).toBeRefused(status, code)
  expect(await post('"text"')).toBeRefused(status, code)
  expect(await post('{"x":"a\\u0000b"}')).toBeRefused(400, 'invalid_input')
  expect(await post('a=b', 'application/x-www-form-urlencoded')).toBeRefused(415, 'unsupported_media_type')
  expect(await post('{}', 'text/plain')).toBeRefused(415, 'unsupported_media_type')
  const tooLarge = `{"x":"${'a'.repeat((endpoint.bodyLimitBytes ?? LIMITS.bodyBytes) + 1)}"}`
  expect(await post(tooLarge)).toBeRefused(413, 'too_large')
})

test('Eve sends rubbish beside the largest address book: what a change of keys can need is read, and not a MiB more', async () => {
  const sealed = 'A'.repeat(base64Chars(LIMITS.bookBytes))
  for (const endpoint of [devicesApi.changeKeys, accountApi.changePassword, recoveryApi.recover]) {
    const post = (mib: number) => {
      const body = JSON.stringify({ sealed, rubbish: 'A'.repeat(mib * 1024 * 1024) })
      return eve.request(endpoint.method, addressOf(endpoint), { body, headers: { 'content-type': 'application/json' } })
    }
    expect(await post(1)).toBeRefused(400, 'invalid_input')
    expect(await post(2)).toBeRefused(413, 'too_large')
  }
})

test.each(named(every.filter((each) => kindOf(each) !== 'json')))(
  'whatever bytes %s is sent, it answers in JSON, and refuses too many of them by name',
  async (_name, endpoint) => {
    const post = (body: string | Uint8Array, contentType: string) =>
      holderOf(endpoint).request(endpoint.method, addressOf(endpoint), { body, headers: { 'content-type': contentType } })
    for (const body of ['', '{"a":', '{"__proto__":{"isAdmin":true}}', 'a\0b', randomBytes(999)])
      for (const type of ['application/json', 'text/html', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        expect(fine(await post(body, type))).toBe('fine')
    const tooLarge = new Uint8Array((endpoint.bodyLimitBytes ?? LIMITS.bodyBytes) + 1)
    expect(await post(tooLarge, 'application/octet-stream')).toBeRefused(413, 'too_large')
  },
)

const ODD: unknown[] = [
  null,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  'x',
  '\ud800',
  "' or 1=1 --",
  'a'.repeat(5000),
  [],
  [[]],
  {},
  { toString: 1 },
  true,
]
/** The odd values that a URL can carry. */
const WRITABLE = ODD.filter((odd) => typeof odd !== 'object' && odd !== '\ud800')

test.each(named(every))('missing and wrong fields of %s are refused by name', async (name, endpoint) => {
  const fitting = theirs[name] ?? {}
  const answers = [await refusedOrFine(eve, endpoint, {})]
  for (const field of fieldsOf(endpoint)) {
    const isWritten = inQuery(endpoint) || endpoint.path.includes(`:${field}`)
    for (const odd of isWritten ? WRITABLE : ODD) answers.push(await refusedOrFine(eve, endpoint, { ...fitting, [field]: odd }))
  }
  expect(answers.filter((answer) => answer !== 'fine')).toEqual([])
})

test('JSON that is nested a hundred thousand deep is refused like any other', async () => {
  const deep = `{"username":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(await eve.request('POST', '/api/contacts', { body: deep })).toBeRefused(400)
  expect(await world.stranger().request('POST', '/api/login', { body: deep })).toBeRefused(400)
})

test('what is not a call is refused in JSON too', async () => {
  expect(await eve.request('GET', '/api/nothing')).toBeRefused(404, 'not_found')
  expect(await eve.request('DELETE', '/api/contacts')).toBeRefused(405, 'method_not_allowed')
  expect(await eve.request('GET', '/api/messages/%zz')).toBeRefused(400)
  expect(await eve.request('GET', '/api/messages?chatRoomId=%00')).toBeRefused(400, 'invalid_input')
  expect(await eve.request('GET', `/api/messages?chatRoomId=${chatRoomId}&chatRoomId=${chatRoomId}`)).toBeRefused(
    400,
    'invalid_input',
  )
})

test('frames that nobody may send are refused by name, and the socket stays open', async () => {
  const deep = `{"type":"typing","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const typing = (data: unknown) => ({ type: 'typing', data })
  const message = (data: unknown) => ({ type: 'message', data })
  const groups: [string, unknown[]][] = [
    [
      'malformed_frame',
      ['', '{', 'null', '[]', '7', Buffer.from([1, 2, 3]), {}, { type: 'nope', data: {} }, { type: 'message' }],
    ],
    [
      'malformed_frame',
      [typing(null), typing({}), typing({ chatRoomId, isTyping: 'yes' }), typing({ chatRoomId: 7, isTyping: true })],
    ],
    [
      'malformed_frame',
      [message({}), message({ chatRoomId, content: '  ', messageType: 'text' }), message([]), { type: 'hello', data: {} }],
    ],
    ['invalid_input', [deep, '{"type":"typing","data":{"chatRoomId":"\\u0000","isTyping":true}}']],
    ['not_found', [typing({ chatRoomId, isTyping: true }), message({ chatRoomId, content: 'let me in', messageType: 'text' })]],
  ]
  const hers = await bob.opensSocket()
  for (const [code, frames] of groups) {
    const line = await eve.opensSocket()
    for (const frame of frames) {
      line.says(frame)
      expect((await line.hears('refused')).data.code, String(JSON.stringify(frame)).slice(0, 80)).toBe(code)
    }
    line.says({ type: 'ping', data: {} })
    await line.hears('pong')
    line.hangsUp()
  }
  expect(hers.frames.map((frame) => frame.type)).toEqual(['hello'])
  const line = await eve.opensSocket()
  line.says('x'.repeat(LIMITS.frameBytes + 1))
  expect(await line.closed).toMatchObject({ code: 1009 })
  hers.hangsUp()
  await hers.closed
})

async function refusedOrFine(browser: Browser, endpoint: Endpoint, input: Record<string, unknown>): Promise<string> {
  const outcome = fine(await browser.tries(endpoint, input))
  return outcome === 'fine' ? outcome : `${JSON.stringify(input).slice(0, 200)} ${outcome}`
}

function fine({ status, code, body }: Answer): string {
  // This server takes no coin, so it knows no price.
  const isRefusal = code === 'prices_unavailable' || (status >= 400 && status < 500 && code !== undefined)
  return (status === 200 && body !== undefined) || isRefusal ? 'fine' : `was answered ${status} ${JSON.stringify(body)}`
}
