import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { type Browser, newBrowser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import type { TestSocket } from '../../testing/socket.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

const told = (browser: Browser) => browser.does(sessionsApi.signIns, {})
const hearsSignIn = (line: TestSocket) => line.hears('account', ({ data }) => data.what === 'sign_in')

/** Signs in with the password in a browser that is not part of the account; it may name a device all the same. */
async function signsIn({ username, authSecret }: Person, { deviceId }: { deviceId?: string } = {}): Promise<Browser> {
  const browser = newBrowser(world.url, world.url)
  const body = { username, password: authSecret, kdf: 1, deviceId }
  const { status } = await browser.request('POST', '/api/login', { body, headers: { 'user-agent': CHROME } })
  expect(status).toBe(200)
  return browser
}

test('a sign-in is announced at once to every browser of the account, and to nobody else', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const phone = await alice.addsBrowser()
  const [hers, there, his] = [await alice.opensSocket(), await phone.opensSocket(), await bob.opensSocket()]
  expect(await told(alice)).toMatchObject([{ deviceId: phone.deviceId }])
  await signsIn(alice)
  for (const line of [hers, there]) await hearsSignIn(line)
  const news = { browser: 'Chrome', system: 'Windows', ingress: 'direct', deviceId: null, isLive: true }
  // The phone was added in the session that the first sign-in began.
  expect(await told(phone)).toMatchObject([news])
  const [newest] = await told(alice)
  expect(newest).toMatchObject(news)
  const sessions = await alice.does(sessionsApi.list, {})
  expect(sessions.map(({ id }) => id)).toContain(newest?.id)
  expect(await told(bob)).toEqual([])
  // Whoever adds a browser has seen what came before.
  expect(await told(await alice.addsBrowser())).toEqual([])
  expect(his.frames.map(({ type }) => type)).toEqual(['hello'])
  for (const line of [hers, there, his]) line.hangsUp()
})

test('a browser that was away is told at its next start, also when the session has ended; answered there once, it is never told again', async () => {
  const carol = await world.person('carol')
  const phone = await carol.addsBrowser()
  const intruder = await signsIn(carol)
  await intruder.does(accountApi.logout, {})
  world.passes(13 * DAY)
  for (const browser of [carol, phone]) await browser.does(accountApi.user, {})
  const news = await told(carol)
  expect(news).toMatchObject([{ isLive: false }, { deviceId: phone.deviceId, isLive: true }])
  const ids = news.map(({ id }) => id)
  await carol.does(sessionsApi.answerSignIns, { ids })
  await carol.does(sessionsApi.answerSignIns, { ids })
  expect(await told(carol)).toEqual([])
  // What one browser has seen another has not: the first may be the intruder's.
  expect(await told(phone)).toMatchObject([{ id: ids[0], isLive: false }])
})

test('a browser is not told of its own sign-in; the others learn which device it was', async () => {
  const dave = await world.person('dave')
  const phone = await dave.addsBrowser()
  await phone.does(sessionsApi.answerSignIns, { ids: (await told(phone)).map(({ id }) => id) })
  await dave.does(accountApi.logout, {})
  const line = await phone.opensSocket()
  await dave.returns()
  await hearsSignIn(line)
  await expect.poll(() => told(phone)).toMatchObject([{ deviceId: dave.deviceId }])
  expect((await told(dave)).map(({ deviceId }) => deviceId)).toEqual([phone.deviceId])
  // Not as soon as it signs in once more either.
  await dave.does(accountApi.logout, {})
  await dave.returns()
  expect((await told(dave)).map(({ deviceId }) => deviceId)).toEqual([phone.deviceId])
  line.hangsUp()
})

test("Eve has the password and names Alice's own device, or a copy of its keys: Alice's browser is told all the same", async () => {
  const alice = await world.person('alice')
  const line = await alice.opensSocket()
  const eve = await signsIn(alice, { deviceId: alice.deviceId })
  await hearsSignIn(line)
  expect(await told(alice)).toMatchObject([{ browser: 'Chrome', deviceId: null }])
  // The copied profile has the device's key, so it signs as the device does.
  await eve.proves(alice.deviceId)
  await expect.poll(() => told(alice)).toMatchObject([{ browser: 'Chrome', deviceId: alice.deviceId }])
  line.hangsUp()
})

test('Eve answers for nobody else: not with the password alone, and not with ids of others', async () => {
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  const thief = await signsIn(alice)
  const [news] = await told(alice)
  const answer = { ids: [news?.id ?? ''] }
  expect(await thief.tries(sessionsApi.signIns, {})).toBeRefused(403, 'device_required')
  expect(await thief.tries(sessionsApi.answerSignIns, answer)).toBeRefused(403, 'device_required')
  await eve.does(sessionsApi.answerSignIns, answer)
  expect(await told(alice)).toEqual([news])
})

test('sign-ins are told for thirty days and fifty of an account, and go with the account', async () => {
  const erin = await world.person('erin')
  for (let count = 0; count < LIMITS.signInsPerUser + 2; count++) await signsIn(erin)
  const stored = async () => (await world.sql('select from sign_ins where user_id = $1', [erin.id])).length
  expect(await stored()).toBe(LIMITS.signInsPerUser)
  expect(await told(erin)).toHaveLength(LIMITS.signInsPerUser)
  for (let days = 0; days < LIMITS.signInDays; days += 10) {
    world.passes(10 * DAY)
    await erin.does(accountApi.user, {})
  }
  expect(await told(erin)).toEqual([])
  await world.jobs.runDue()
  expect(await stored()).toBe(0)
  await signsIn(erin)
  await erin.does(accountApi.remove, { password: erin.authSecret, kdf: 1 })
  expect(await stored()).toBe(0)
})

test('making an account is announced to nobody, and neither is the sign-in of a program', async () => {
  const frank = await world.person('frank')
  const program = world.stranger()
  const form = { username: 'a_program', displayName: 'A program', password: 'hunter22', confirmPassword: 'hunter22' }
  const { id } = await program.does(accountApi.register, form)
  await program.does(accountApi.login, { username: 'a_program', password: 'hunter22' })
  expect(await world.sql('select from sign_ins where user_id = any($1)', [[frank.id, id]])).toEqual([])
})
