import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { createHub } from '../../ground/realtime/hub.ts'
import type { Listener } from '../../settings/config.ts'
import { newBrowser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { endOne } from './listSessions.ts'

const world = await startWorld()
const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] }
const byOnion = `http://127.0.0.1:${await world.opens(onion)}`

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.86 Safari/537.36'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'

const sessionsOf = (person: Person) => person.does(sessionsApi.list, {})

/** Signs in with the password and these headers, and with no device. */
async function signsIn({ username, authSecret }: Person, headers: Record<string, string> = {}, url = world.url) {
  const browser = newBrowser(url, world.url)
  const { status } = await browser.request('POST', '/api/login', { body: { username, password: authSecret, kdf: 1 }, headers })
  expect(status).toBe(200)
  return browser
}

async function otherSession(person: Person) {
  const other = (await sessionsOf(person)).find(({ isCurrent }) => !isCurrent)
  if (!other) throw new Error('There is no other session')
  return other
}

test('Alice sees each session with its browser, system, device and times, this one first; of the header nothing else is kept', async () => {
  const alice = await world.person('alice')
  await signsIn(alice, { 'user-agent': CHROME })
  await signsIn(alice, { 'user-agent': SAFARI })
  const second = await alice.addsBrowser()
  world.passes(6 * 60)
  await second.does(accountApi.user, {})
  const sessions = await sessionsOf(alice)
  expect(sessions.map(({ browser, system }) => [browser, system])).toEqual(
    expect.arrayContaining([
      ['Chrome', 'Windows'],
      ['Safari', 'iOS'],
    ]),
  )
  expect(sessions).toHaveLength(4)
  const [own, used] = sessions
  expect(own).toMatchObject({ isCurrent: true, deviceId: alice.deviceId, ingress: 'direct' })
  expect(used).toMatchObject({ isCurrent: false, deviceId: second.deviceId })
  expect(sessions.slice(2).map(({ deviceId }) => deviceId)).toEqual([null, null])
  expect(Date.parse(used?.lastSeenAt ?? '') - Date.parse(used?.firstSeenAt ?? '')).toBeGreaterThanOrEqual(6 * 60_000)
  const kept = JSON.stringify(await world.sql('select * from sessions where user_id = $1', [alice.id]))
  expect(kept).not.toMatch(/Mozilla|6778[.]86|18_1|Win64/)
})

test('whether a session came by the onion service is decided by the listener, whatever a header claims', async () => {
  const bob = await world.person('bob')
  const headers = { 'x-ingress': 'onion', host: `${'a'.repeat(56)}.onion`, forwarded: 'host=onion' }
  await signsIn(bob, { ...headers, 'user-agent': CHROME })
  await signsIn(bob, { 'user-agent': SAFARI }, byOnion)
  const classes = (await sessionsOf(bob)).map(({ browser, ingress }) => [browser, ingress])
  expect(classes).toEqual(
    expect.arrayContaining([
      ['Chrome', 'direct'],
      ['Safari', 'onion'],
    ]),
  )
})

test('a session of before, and one with a header that names nothing, go on, and their browser is unknown', async () => {
  const carol = await world.person('carol')
  await signsIn(carol, { 'user-agent': `${'x'.repeat(4000)} <script>` })
  await world.sql(
    `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
     select sha256('before'::bytea), $1, $2, $2, $2::timestamptz + interval '1 day'`,
    [carol.id, world.env.clock()],
  )
  const others = (await sessionsOf(carol)).slice(1)
  expect(others).toHaveLength(2)
  for (const each of others) expect(each).toMatchObject({ browser: '', system: '', ingress: 'direct', deviceId: null })
  expect(new Set(others.map(({ id }) => id)).size).toBe(2)
})

test('a session that is ended loses its sockets at once, also on another node, and is told why', async () => {
  const dave = await world.person('dave')
  const phone = await dave.addsBrowser()
  const [his, there] = [await dave.opensSocket(), await phone.opensSocket()]
  await dave.does(sessionsApi.end, { sessionId: (await otherSession(dave)).id })
  expect((await there.hears('signed_out')).data).toMatchObject({ reason: 'ended' })
  expect((await there.closed).code).toBe(4401)
  expect(await phone.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  await his.hears('account', ({ data }) => data.what === 'ended')

  const laptop = await dave.addsBrowser()
  const line = await laptop.opensSocket()
  const user = await world.env.findSession(await hashOf(dave))
  if (!user) throw new Error('Dave is not signed in')
  // Another node has another register of sockets, so here only the announcement closes them.
  await endOne({ ...world.env, hub: createHub() }, user, (await otherSession(dave)).id)
  expect((await line.hears('signed_out')).data).toMatchObject({ reason: 'ended' })
  expect((await line.closed).code).toBe(4401)
  expect((await dave.tries(accountApi.user, {})).status).toBe(200)
  his.hangsUp()
})

const hashOf = async (person: Person): Promise<string> => {
  const [row] = await world.sql(`select encode(token_hash, 'hex') as hash from sessions where user_id = $1 and device_id = $2`, [
    person.id,
    person.deviceId,
  ])
  return String(row?.['hash'])
}

test('all others are ended at once: this session stays, and so do those of everybody else', async () => {
  const [erin, frank] = await Promise.all([world.person('erin'), world.person('frank')])
  const others = [await erin.addsBrowser(), await signsIn(erin), await signsIn(erin)]
  expect(await erin.does(sessionsApi.endOthers, {})).toEqual({ count: 3 })
  for (const other of others) expect(await other.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  expect(await sessionsOf(erin)).toMatchObject([{ isCurrent: true }])
  expect(await sessionsOf(frank)).toHaveLength(1)
  expect(await erin.does(sessionsApi.endOthers, {})).toEqual({ count: 0 })
})

test("Eve ends nobody else's session: not by its id, not by a guessed one, and not with Alice's password alone", async () => {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const [own] = await sessionsOf(alice)
  const sessionId = own?.id ?? ''
  const theirs = await eve.tries(sessionsApi.end, { sessionId })
  expect(theirs).toBeRefused(404, 'not_found')
  expect(await eve.tries(sessionsApi.end, { sessionId: randomUUID() })).toMatchObject({ body: theirs.body })
  expect(await eve.tries(sessionsApi.end, { sessionId: 'the first' })).toBeRefused(400, 'invalid_input')
  expect((await eve.does(sessionsApi.endOthers, {})).count).toBe(0)

  const thief = await signsIn(alice)
  expect(await thief.tries(sessionsApi.list, {})).toBeRefused(403, 'device_required')
  expect(await thief.tries(sessionsApi.end, { sessionId })).toBeRefused(403, 'device_required')
  expect(await thief.tries(sessionsApi.endOthers, {})).toBeRefused(403, 'device_required')
  expect((await alice.tries(accountApi.user, {})).status).toBe(200)
  await alice.does(sessionsApi.endOthers, {})
  expect(await thief.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
})

test('a program, whose account has no keys, lists and ends its sessions', async () => {
  const [one, other] = [world.stranger(), world.stranger()]
  const form = { username: 'a_program', displayName: 'A program', password: 'hunter22', confirmPassword: 'hunter22' }
  await one.does(accountApi.register, form)
  await other.does(accountApi.login, { username: 'a_program', password: 'hunter22' })
  const sessions = await one.does(sessionsApi.list, {})
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
  await one.does(sessionsApi.end, { sessionId: sessions[1]?.id ?? '' })
  expect(await other.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  expect((await one.tries(accountApi.user, {})).status).toBe(200)
})
