import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { callsApi } from '../../../contract/chat/calls.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { pushApi } from '../../../contract/chat/push.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { makeLimits } from '../../ground/http/limits.ts'
import type { Browser } from '../../testing/browser.ts'
import { opensLine } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { type Subscriber, startPushService } from '../../testing/pushed.ts'
import { startWorld } from '../../testing/world.ts'
import { pushAnswered, pushMissed, pushRing, type Ring } from './pushRing.ts'

const world = await startWorld({ variables: { OUTBOUND_GUARD: 'off' } })
const service = await startPushService()
const failures: unknown[] = []
world.env.rings.start((error) => failures.push(error))

async function subscribes(who: Browser): Promise<Subscriber> {
  const browser = service.browser()
  await who.does(pushApi.subscribe, browser.subscription)
  return browser
}

/** Bob calls Alice, who has one browser that is told while it is closed. */
async function pair() {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chatRoomId = await alice.talksTo(bob)
  const browser = await subscribes(alice)
  const ring = (): Ring => ({ callId: randomUUID(), callerId: bob.id, calleeId: alice.id, chatRoomId })
  return { alice, bob, chatRoomId, browser, ring }
}

/** Does it and waits until all of it has left. */
async function after(act: (env: typeof world.env, ring: Ring) => void, ring: Ring): Promise<void> {
  act(world.env, ring)
  await world.env.rings.stop()
  world.env.rings.start((error) => failures.push(error))
  expect(failures).toEqual([])
}

const kinds = (browser: Subscriber) => browser.pushed().map((each) => (browser.opens(each) as { kind: string }).kind)

/** Whether another server process has a page of the person. */
const isElsewhere = (who: Person, isOpen: boolean) =>
  world.sql(
    `insert into presence (user_id, nodes) select $1, array(select gen_random_uuid() where $2)
     on conflict (user_id) do update set nodes = excluded.nodes`,
    [who.id, isOpen],
  )

const contactOf = async (who: Person, chatRoomId: string) => ({
  contactId: (await who.contacts()).find((row) => row.chatRoomId === chatRoomId)?.id ?? '',
})

test('a closed browser rings at once, by a push that is kept while it rings and no longer, as long as any other, without a name', async () => {
  const { alice, bob, chatRoomId, browser, ring } = await pair()
  const one = ring()
  await after(pushRing, one)
  const [pushed] = browser.pushed()
  expect(browser.opens(pushed)).toEqual({ kind: 'ring' })
  const { ttl, topic, urgency } = pushed?.headers ?? {}
  expect([ttl, topic, urgency]).toEqual([String(CALL_LIMITS.ringSeconds), undefined, 'high'])
  const everything = JSON.stringify([pushed?.path, pushed?.headers, pushed?.body.toString('latin1')])
  for (const word of [chatRoomId, alice.id, bob.id, one.callId, alice.username, bob.username, 'ring"'])
    expect(everything).not.toContain(word)
  await after(pushMissed, one)
  const [, missed] = browser.pushed()
  expect(browser.opens(missed)).toEqual({ kind: 'missed' })
  expect([missed?.headers['ttl'], missed?.headers['topic']]).toEqual(['86400', undefined])
  // The pause after a push holds up no ring, and a ring no message.
  await bob.says(chatRoomId, 'call me')
  await expect.poll(() => kinds(browser)).toEqual(['ring', 'missed', 'message'])
  await after(pushRing, ring())
  expect(kinds(browser)).toEqual(['ring', 'missed', 'message', 'ring'])
  expect(new Set(browser.pushed().map(({ body }) => body.length)).size).toBe(1)
})

test('one call rings each browser once, also one whose last page goes meanwhile, and none when it is over', async () => {
  const { alice, browser, ring } = await pair()
  const one = ring()
  await isElsewhere(alice, true)
  await after(pushRing, one)
  expect(kinds(browser)).toEqual([])
  await isElsewhere(alice, false)
  for (let twice = 0; twice < 2; twice++) await after(pushRing, one)
  const phone = await subscribes(await alice.addsBrowser())
  await after(pushRing, one)
  expect([kinds(browser), kinds(phone)]).toEqual([['ring'], ['ring']])
  await after(pushMissed, one)
  for (const act of [pushRing, pushMissed, pushAnswered]) await after(act, one)
  expect([kinds(browser), kinds(phone)]).toEqual([
    ['ring', 'missed'],
    ['ring', 'missed'],
  ])
})

test('a contact rings closed browsers five times an hour, and what is beyond is told of neither as ringing nor as missed', async () => {
  const { limits } = world.env
  Object.assign(world.env, { limits: makeLimits(world.env.clock) })
  const { alice, browser, ring } = await pair()
  const carol = await world.person('carol')
  const chatRoomId = await alice.talksTo(carol)
  const most = RATES.pushedRings.points
  for (let count = 0; count < most + 2; count++) {
    const one = ring()
    for (const act of [pushRing, pushMissed]) await after(act, one)
  }
  expect(kinds(browser)).toHaveLength(2 * most)
  await after(pushRing, { callId: randomUUID(), callerId: carol.id, calleeId: alice.id, chatRoomId })
  expect(kinds(browser)).toHaveLength(2 * most + 1)
  world.passes(60 * 60)
  await after(pushRing, ring())
  expect(kinds(browser)).toHaveLength(2 * most + 2)
  Object.assign(world.env, { limits })
})

test('nothing wakes whoever wants to be left in peace: a mute, a block, quiet hours, the switch, an open page', async () => {
  const { alice, bob, chatRoomId, browser, ring } = await pair()
  const contact = await contactOf(alice, chatRoomId)
  const always = { from: '00:00', to: '23:59', timeZone: 'UTC' }
  const rest = { from: '23:59', to: '00:00', timeZone: 'UTC' }
  const peace: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'a mute',
      () => alice.does(notificationsApi.mute, { chatRoomId, term: 'hour' }),
      () => alice.does(notificationsApi.unmute, { chatRoomId }),
    ],
    ['a block', () => alice.does(contactsApi.block, contact), () => alice.does(contactsApi.unblock, contact)],
    [
      'quiet hours',
      () => alice.does(pushApi.setQuietHours, { quietHours: isMidnight() ? rest : always }),
      () => alice.does(pushApi.setQuietHours, { quietHours: null }),
    ],
    [
      'the switch',
      () => alice.does(callsApi.updateSettings, { ringsClosed: false }),
      () => alice.does(callsApi.updateSettings, { ringsClosed: true }),
    ],
    ['an open page', () => isElsewhere(alice, true), () => isElsewhere(alice, false)],
    ['a removed contact', () => alice.does(contactsApi.remove, contact), () => alice.adds(bob)],
  ]
  let count = 0
  for (const [name, begins, ends] of peace) {
    await begins()
    const one = ring()
    for (const act of [pushRing, pushMissed]) await after(act, one)
    expect(kinds(browser), name).toHaveLength(count)
    await ends()
    await after(pushRing, ring())
    expect(kinds(browser), name).toHaveLength(++count)
  }
})

/** The last minute of the day. */
const isMidnight = () => world.env.clock().toISOString().slice(11, 16) === '23:59'

test('Eve, whose request is open or declined, wakes nobody', async () => {
  const { alice, browser, chatRoomId: bobs } = await pair()
  const eve = await world.person('eve')
  await eve.adds(alice)
  const chatRoomId = directRoomId(alice.id, eve.id)
  const rings = () => ({ callId: randomUUID(), callerId: eve.id, calleeId: alice.id, chatRoomId })
  const others = await pair()
  for (const declines of [false, true]) {
    if (declines) await alice.does(contactsApi.decline, await contactOf(alice, chatRoomId))
    for (const act of [pushRing, pushMissed]) await after(act, rings())
    // By the chat of somebody else, Alice's own or not.
    for (const room of [bobs, others.chatRoomId]) await after(pushRing, { ...rings(), chatRoomId: room })
  }
  expect([kinds(browser), kinds(others.browser)]).toEqual([[], []])
})

test('a session that has ended, that no device has signed for, or that came by an onion service rings no browser; a locked one does', async () => {
  const { alice, browser, ring } = await pair()
  const [laptop, phone, tablet] = [await alice.addsBrowser(), await alice.addsBrowser(), await alice.addsBrowser()]
  const [ended, onion, locked] = [await subscribes(laptop), await subscribes(phone), await subscribes(tablet)]
  await laptop.does(accountApi.logout, {})
  const named = 'token_hash = (select session_hash from push_subscriptions where endpoint = $1)'
  await world.sql(`update sessions set ingress = 'onion' where ${named}`, [onion.subscription.endpoint])
  await tablet.does(sessionsApi.sleep, {})
  await after(pushRing, ring())
  expect([browser, ended, onion, locked].map(kinds)).toEqual([['ring'], [], [], ['ring']])
  await world.sql(`update sessions set proven_at = null where ${named}`, [browser.subscription.endpoint])
  await world.sql(`update sessions set last_used_at = last_used_at - interval '20 days' where ${named}`, [
    locked.subscription.endpoint,
  ])
  await after(pushRing, ring())
  expect([browser, ended, onion, locked].map(kinds)).toEqual([['ring'], [], [], ['ring']])
})

test('what rings is told when it is answered elsewhere, and what did not ring is told nothing of it', async () => {
  const { alice, browser, ring } = await pair()
  const one = ring()
  await after(pushRing, one)
  const phone = await subscribes(await alice.addsBrowser())
  await isElsewhere(alice, true)
  await after(pushAnswered, one)
  expect([kinds(browser), kinds(phone)]).toEqual([['ring', 'answered'], []])
  expect(browser.pushed()[1]?.headers).toMatchObject({ ttl: String(CALL_LIMITS.ringSeconds) })
  await after(pushMissed, one)
  expect(kinds(phone)).toEqual([])
})

test('a ring that ends is told as missed also where a page was opened meanwhile, and where it found none closed', async () => {
  const { alice, browser, ring } = await pair()
  const [one, other] = [ring(), ring()]
  await after(pushRing, one)
  await isElsewhere(alice, true)
  await after(pushMissed, one)
  expect(kinds(browser)).toEqual(['ring', 'missed'])
  await after(pushRing, other)
  await isElsewhere(alice, false)
  await after(pushMissed, other)
  expect(kinds(browser)).toEqual(['ring', 'missed', 'missed'])
})

test('a call that ends before its ring has left rings nobody, and is missed', async () => {
  const { browser, ring } = await pair()
  const one = ring()
  pushRing(world.env, one)
  await after(pushMissed, one)
  expect(kinds(browser)).toEqual(['missed'])
})

test('a push service that has forgotten the browser is believed, and one that fails changes nothing for messages', async () => {
  const { alice, bob, chatRoomId, browser, ring } = await pair()
  service.answers((response) => response.writeHead(500).end())
  await after(pushRing, ring())
  service.answers((response) => response.writeHead(201).end())
  await bob.says(chatRoomId, 'hello')
  await expect.poll(() => kinds(browser)).toEqual(['ring', 'message'])
  service.answers((response) => response.writeHead(410).end())
  await after(pushRing, ring())
  expect(await world.sql('select from push_subscriptions where user_id = $1', [alice.id])).toEqual([])
  service.answers((response) => response.writeHead(201).end())
})

test('whoever rings wakes closed browsers, and how the call ends stands in the place of the ring: answered, declined, or missed', async () => {
  const { alice, bob, browser } = await pair()
  const hers = await opensLine(bob, bob.id)
  for (const [ends, told] of [
    ['answered', 'answered'],
    ['declined', 'answered'],
    ['given up', 'missed'],
  ] as const) {
    const callId = hers.rings(alice.id)
    await hers.hears('call-success', ({ data }) => data.callId === callId)
    await expect.poll(() => kinds(browser).at(-1)).toBe('ring')
    const his = ends === 'given up' ? undefined : await opensLine(alice, alice.id)
    if (ends === 'answered') his?.answers(callId, bob.id)
    else if (ends === 'declined') his?.sends('call-reject', { callId, to: bob.id, attempt: 1, reason: 'declined' })
    else hers.sends('call-end', { callId, to: alice.id, reason: 'no_answer' })
    await expect.poll(() => kinds(browser).at(-1)).toBe(told)
    if (ends === 'answered') hers.sends('call-end', { callId, to: alice.id, reason: 'ended' })
    await hers.settles()
    his?.hangsUp()
    await expect.poll(() => world.env.hub.isHere(alice.id)).toBe(false)
  }
  expect(failures).toEqual([])
})

test('a ring that the caller’s plan or the end of their account stops is missed too', async () => {
  for (const stops of ['plan', 'account']) {
    const { alice, bob, browser } = await pair()
    const hers = await opensLine(bob, bob.id)
    const callId = hers.rings(alice.id)
    await expect.poll(() => kinds(browser)).toEqual(['ring'])
    if (stops === 'plan') {
      await world.sql("update users set subscription_tier = 'free' where id = $1", [bob.id])
      const his = await opensLine(alice, alice.id)
      his.answers(callId, bob.id)
    } else await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
    await expect.poll(() => kinds(browser), { message: stops }).toEqual(['ring', 'missed'])
  }
  expect(failures).toEqual([])
})
