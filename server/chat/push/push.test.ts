import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { pushApi } from '../../../contract/chat/push.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { readSecret } from '../../ground/db/secrets.ts'
import type { Browser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import { claimsOf, type Subscriber, startPushService } from '../../testing/pushed.ts'
import { startWorld } from '../../testing/world.ts'
import { quietUntil } from './quiet.ts'
import { tellInSlices } from './tell.ts'
import { newVapidKey } from './vapid.ts'

const world = await startWorld({ variables: { OUTBOUND_GUARD: 'off' } })
const service = await startPushService()

async function subscribes(who: Browser): Promise<Subscriber> {
  const browser = service.browser()
  await who.does(pushApi.subscribe, browser.subscription)
  return browser
}

/** Bob talks to Alice, who has one browser that is told while it is closed. */
async function pair() {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chatRoomId = await alice.talksTo(bob)
  return { alice, bob, chatRoomId, browser: await subscribes(alice) }
}

/** Resolves once so many pushes came for the browser. */
const comes = async (browser: Subscriber, count: number) => await expect.poll(() => browser.pushed().length).toBe(count)

/** Whether another server process has a page of the person. */
const isElsewhere = (who: Person, isOpen: boolean) =>
  world.sql(
    `insert into presence (user_id, nodes) select $1, array(select gen_random_uuid() where $2)
     on conflict (user_id) do update set nodes = excluded.nodes`,
    [who.id, isOpen],
  )

/** Lets the pause after a push pass, and whatever is due be pushed. Returns how many came for the browser by then. */
async function afterAMinute(browser: Subscriber): Promise<number> {
  world.passes(61)
  await world.jobs.runDue()
  return browser.pushed().length
}

const contactOf = async (who: Person, chatRoomId: string) => ({
  contactId: (await who.contacts()).find((row) => row.chatRoomId === chatRoomId)?.id ?? '',
})
const stored = async ({ id }: Person) => await world.sql('select * from push_subscriptions where user_id = $1', [id])

test('whoever has no page open is woken, and what passes the push service opens with the browser’s keys alone and says nothing of whom', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  await bob.says(chatRoomId, 'the secret plan')
  await comes(browser, 1)
  const [pushed] = browser.pushed()
  expect(browser.opens(pushed)).toEqual({ kind: 'message' })
  expect(() => service.browser().opens(pushed)).toThrow()
  // Beside the sealed body: what every HTTP request has, and what the push service needs.
  const { authorization, host, ...rest } = pushed?.headers ?? {}
  expect(rest).toEqual({
    ...{ ttl: '86400', topic: 'news', urgency: 'high', connection: 'close', 'content-length': String(pushed?.body.length) },
    ...{ 'content-type': 'application/octet-stream', 'content-encoding': 'aes128gcm' },
  })
  const { key } = await alice.does(pushApi.key, {})
  const claims = pushed && claimsOf(pushed, key ?? '')
  expect(claims).toEqual({ aud: service.url, exp: expect.any(Number), sub: 'mailto:operator@conclave.invalid' })
  const everything = JSON.stringify([pushed?.path, pushed?.headers, claims, pushed?.body.toString('latin1')])
  for (const word of [chatRoomId, alice.id, bob.id, alice.username, bob.username, 'secret', 'message'])
    expect(everything).not.toContain(word)
})

test('ten messages are one push, and what comes within the minute is one more at its end', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  // Until the last one has come, as if within the moment that a push waits for more.
  await isElsewhere(alice, true)
  for (let count = 0; count < 10; count++) await bob.says(chatRoomId, `${count}`)
  await isElsewhere(alice, false)
  expect([await afterAMinute(browser), await afterAMinute(browser)]).toEqual([1, 1])
  await bob.says(chatRoomId, 'one')
  await comes(browser, 2)
  for (let count = 0; count < 10; count++) await bob.says(chatRoomId, `${count}`)
  await world.jobs.runDue()
  expect(browser.pushed()).toHaveLength(2)
  expect([await afterAMinute(browser), await afterAMinute(browser)]).toEqual([3, 3])
})

test('all closed browsers of a person are told, and those of nobody else', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const [phone, his] = [await subscribes(await alice.addsBrowser()), await subscribes(bob)]
  await bob.says(chatRoomId, 'hello')
  await comes(browser, 1)
  await comes(phone, 1)
  expect(await afterAMinute(his)).toBe(0)
})

test('nobody is pushed what a page of theirs has shown: it is open at any process, or was when the message came', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const page = await alice.opensSocket()
  const { seq } = await bob.says(chatRoomId, 'while she looks')
  await page.hears('message')
  expect(await afterAMinute(browser)).toBe(0)
  await alice.does(messagesApi.markDelivered, { chatRoomId, seq })
  page.hangsUp()
  await page.closed
  const hasLeft = () =>
    world.sql("select nodes = '{}' and last_seen is not null as it from presence where user_id = $1", [alice.id])
  await expect.poll(hasLeft).toEqual([{ it: true }])
  expect(await afterAMinute(browser)).toBe(0)
  await isElsewhere(alice, true)
  await bob.says(chatRoomId, 'to her page at another server')
  expect(await afterAMinute(browser)).toBe(0)
  // That server dies before the page had it.
  await isElsewhere(alice, false)
  expect(await afterAMinute(browser)).toBe(1)
})

test('muted, blocked, declined or not accepted, silent or read elsewhere: nothing of it wakes anybody', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const eve = await world.person('eve')
  await eve.adds(alice)
  await eve.says(directRoomId(alice.id, eve.id), 'let me in')
  await alice.does(notificationsApi.mute, { chatRoomId, term: 'hour' })
  await bob.says(chatRoomId, 'muted')
  expect(await afterAMinute(browser)).toBe(0)
  // Until she has read it, as if within the moment that a push waits for more.
  await isElsewhere(alice, true)
  await alice.does(notificationsApi.unmute, { chatRoomId })
  await alice.does(messagesApi.markRead, { chatRoomId })
  await isElsewhere(alice, false)
  expect(await afterAMinute(browser)).toBe(0)
  await alice.does(contactsApi.block, await contactOf(alice, chatRoomId))
  await bob.says(chatRoomId, 'blocked')
  expect(await afterAMinute(browser)).toBe(0)
  await alice.does(contactsApi.unblock, await contactOf(alice, chatRoomId))
  expect(await afterAMinute(browser)).toBe(0)
  await bob.says(chatRoomId, 'at last')
  await comes(browser, 1)
})

test('quiet hours hold a push until they end, by the clock on the person’s wall, and one tells of all; a change counts at once', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const now = new Date(world.env.clock())
  const timeIn = (hours: number) => new Date(now.getTime() + hours * 3_600_000)
  const wall = (time: Date) => time.toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata', hour: '2-digit', minute: '2-digit' })
  const hours = (from: number, to: number) => ({ from: wall(timeIn(from)), to: wall(timeIn(to)), timeZone: 'Asia/Kolkata' })
  const set = hours(-1, 2)
  expect(await alice.does(pushApi.setQuietHours, { quietHours: set })).toEqual({ quietHours: set })
  expect(await alice.does(pushApi.quietHours, {})).toEqual({ quietHours: set })
  for (const text of ['one', 'two']) await bob.says(chatRoomId, text)
  expect(await afterAMinute(browser)).toBe(0)
  world.passes(2 * 60 * 60)
  expect(await afterAMinute(browser)).toBe(1)
  world.passes(21 * 60 * 60)
  await bob.says(chatRoomId, 'the next night')
  expect(await afterAMinute(browser)).toBe(1)
  await alice.does(pushApi.setQuietHours, { quietHours: null })
  expect(await afterAMinute(browser)).toBe(2)
  expect(await bob.does(pushApi.quietHours, {})).toEqual({ quietHours: null })
})

test.each([
  ['22:00', '07:00', '2026-01-10T22:30:00Z', '2026-01-11T06:00:00.000Z'],
  ['22:00', '07:00', '2026-07-10T20:00:30Z', '2026-07-11T05:00:00.000Z'],
  ['22:00', '07:00', '2026-07-10T19:59:59Z', undefined],
  ['22:00', '07:00', '2026-07-11T05:00:00Z', undefined],
  ['13:00', '14:15', '2026-01-10T12:45:00Z', '2026-01-10T13:15:00.000Z'],
  ['13:00', '14:15', '2026-01-10T11:59:00Z', undefined],
])('quiet from %s to %s in Berlin: at %s until %s', (from, to, now, until) => {
  const [fromMinute = 0, toMinute = 0] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
  expect(quietUntil({ fromMinute, toMinute, timeZone: 'Europe/Berlin' }, new Date(now))?.toISOString()).toBe(until)
})

test('a browser that signs out, whose session is ended or that is removed is told nothing any more', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const [laptop, phone, tablet] = [await alice.addsBrowser(), await alice.addsBrowser(), await alice.addsBrowser()]
  for (const who of [laptop, phone, tablet]) await subscribes(who)
  expect(await stored(alice)).toHaveLength(4)
  await laptop.does(accountApi.logout, {})
  expect(await stored(alice)).toHaveLength(3)
  await alice.changesKeys({ removes: [phone.deviceId] })
  expect(await stored(alice)).toHaveLength(2)
  await alice.does(sessionsApi.endOthers, {})
  expect(await stored(alice)).toHaveLength(1)
  // A session that nobody has used for too long tells nobody, even before it is deleted.
  await world.sql("update sessions set last_used_at = last_used_at - interval '20 days' where user_id = $1", [alice.id])
  await bob.says(chatRoomId, 'is anybody there?')
  expect(await afterAMinute(browser)).toBe(0)
})

test('of a deleted account neither subscriptions nor quiet hours stay', async () => {
  const { alice } = await pair()
  await alice.does(pushApi.setQuietHours, { quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } })
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  expect(await stored(alice)).toEqual([])
  expect(await world.sql('select from quiet_hours where user_id = $1', [alice.id])).toEqual([])
})

test('whoever switches it off in one browser is told in the others, and one subscription ends by its address', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  const laptop = await alice.addsBrowser()
  const other = await subscribes(laptop)
  await laptop.does(pushApi.unsubscribe, {})
  await bob.says(chatRoomId, 'hello')
  await comes(browser, 1)
  expect(other.pushed()).toEqual([])
  await alice.does(pushApi.unsubscribe, { endpoint: browser.subscription.endpoint })
  expect(await stored(alice)).toEqual([])
})

test.each([404, 410])('a push service that says %i has forgotten the browser, and so does the server', async (status) => {
  const { alice, bob, chatRoomId, browser } = await pair()
  service.answers((response) => response.writeHead(status).end())
  await bob.says(chatRoomId, 'hello')
  await expect.poll(() => stored(alice)).toEqual([])
  expect(browser.pushed()).toHaveLength(1)
  service.answers((response) => response.writeHead(201).end())
})

test('a push service that fails, redirects or asks for time is asked again later and later, loses no news, and is given up after a day', async () => {
  const { alice, bob, chatRoomId, browser } = await pair()
  service.answers((response) => response.writeHead(429, { 'retry-after': '600' }).end())
  await bob.says(chatRoomId, 'hello')
  const failed = (failures: number) => expect.poll(() => stored(alice)).toMatchObject([{ failures }])
  await failed(1)
  expect([await afterAMinute(browser), await afterAMinute(browser)]).toEqual([1, 1])
  service.answers((response) => response.writeHead(302, { location: `${service.url}/elsewhere` }).end('x'.repeat(100_000)))
  world.passes(600)
  expect(await afterAMinute(browser)).toBe(2)
  await failed(2)
  expect(service.pushed.map(({ path }) => path)).not.toContain('/elsewhere')
  service.answers((response) => response.writeHead(201).end())
  expect([await afterAMinute(browser), await afterAMinute(browser), await afterAMinute(browser)]).toEqual([2, 3, 3])
  expect(await stored(alice)).toMatchObject([{ failures: 0, failing_since: null }])
  service.answers((response) => response.writeHead(500).end())
  await bob.says(chatRoomId, 'and again')
  await failed(1)
  for (let hour = 0; hour < 25 && (await stored(alice)).length > 0; hour++) {
    world.passes(60 * 60)
    await world.jobs.runDue()
  }
  expect(await stored(alice)).toEqual([])
  expect(browser.pushed().length).toBeLessThan(32)
  service.answers((response) => response.writeHead(201).end())
})

test('two server processes push the same news once, and one that starts after another has died makes up for it', async () => {
  const { bob, chatRoomId, browser } = await pair()
  await world.env.push.stop()
  await bob.says(chatRoomId, 'nobody has noted it')
  await Promise.all([1, 2, 3].map(() => tellInSlices()(world.env)))
  expect(browser.pushed()).toHaveLength(1)
})

test('however many browsers there are, the job finds each of them, a few at a time, and begins anew at its next start', async () => {
  const all = [await pair(), await pair(), await pair()]
  await world.env.push.stop()
  const job = tellInSlices(2)
  for (const count of [1, 2]) {
    for (const { bob, chatRoomId } of all) await bob.says(chatRoomId, 'nobody has noted it')
    let pieces = 1
    while (await job(world.env)) pieces += 1
    expect(pieces).toBeGreaterThan(1)
    expect(all.map(({ browser }) => browser.pushed().length)).toEqual([count, count, count])
    world.passes(61)
  }
})

test('the key is made once, also by servers that start at the same time', async () => {
  const keys = await Promise.all([1, 2, 3, 4].map(() => readSecret(world.env.db, 'another', newVapidKey)))
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
  const { key } = await (await world.person('alice')).does(pushApi.key, {})
  expect(Buffer.from(key ?? '', 'base64url')).toHaveLength(65)
})
