import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { FRAME_RATES } from '../../../contract/frames.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import type { Listener } from '../../settings/config.ts'
import { signsInAt } from '../../testing/byonion.ts'
import { bytes, type Caller, inCall, opensLine, pairOnLine } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { findOwnLiveCall } from './store.ts'

const world = await startWorld()

const liveOf = async (callId: string) =>
  (
    await world.sql(
      'select answered_at, caller_beat_at, callee_beat_at, attempt, minutes from calls where id = $1 and ended_at is null',
      [callId],
    )
  )[0]

/** Every frame that names a call, as somebody says it to one of two people. */
const everyFrame = (callId: string, to: string, attempt = 1) =>
  [
    ['call-offer', { callId, to, attempt: attempt + 1, callType: 'voice', signal: bytes(32) }],
    ['call-answer', { callId, to, attempt, signal: bytes(64) }],
    ['call-signal', { callId, to, attempt, signal: bytes(64) }],
    ['ice-candidate', { callId, targetUserId: to, attempt, candidate: bytes(64) }],
    ...['declined', 'busy', 'epoch', 'again', 'failed'].map(
      (reason) => ['call-reject', { callId, to, attempt, reason }] satisfies [string, unknown],
    ),
    ['call-end', { callId, to, reason: 'ended' }],
    ['call-beat', { callId }],
  ] satisfies [string, Record<string, unknown>][]

/** Says each of them, with a fresh socket for each so that no rate stops it; each must be refused alike. */
async function says(who: Person, callId: string, to: string, code: RegExp): Promise<void> {
  for (const [type, data] of everyFrame(callId, to)) {
    const line = await opensLine(who, who.id)
    line.sends(type, data)
    const refused = await line.hears('refused')
    expect([type, refused.data]).toEqual([type, { code: expect.stringMatching(code), error: expect.any(String), id: callId }])
    line.hangsUp()
  }
}

test('Eve names a call of others, which rings or is answered: each frame is refused as for a call that never was, and nobody hears', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const eve = await world.person('eve')
  for (const friend of [alice, bob]) await eve.talksTo(friend)
  const ringing = hers.rings(bob.id)
  await his.hears('call-offer')
  for (const isAnswered of [false, true]) {
    if (isAnswered) {
      his.answers(ringing, alice.id)
      await hers.hears('call-answer')
    }
    const before = await liveOf(ringing)
    await Promise.all([hers, his].map((line) => line.settles()))
    for (const line of [hers, his]) line.news()
    for (const other of [alice, bob]) await says(eve, ringing, other.id, /^call_over$/)
    expect(await liveOf(ringing)).toEqual(before)
    await Promise.all([hers, his].map((line) => line.settles()))
    expect([...hers.news(), ...his.news()]).toEqual([])
  }
  expect(await findOwnLiveCall(world.env.db, ringing, eve.id, world.env.clock())).toBeUndefined()
})

test('another session of an end, with the same device or another, speaks for no answered call', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const [hersToo, hisToo] = [await alice.addsBrowser(), await bob.addsBrowser()]
  const callId = await inCall(hers, his)
  const before = await liveOf(callId)
  for (const line of [hers, his]) await line.settles()
  for (const line of [hers, his]) line.news()
  const tries = [
    [hersToo, alice, bob],
    [hisToo, bob, alice],
  ] as const
  for (const [browser, own, other] of tries)
    for (const [type, data] of everyFrame(callId, other.id)) {
      const line = await opensLine(browser, own.id)
      line.sends(type, data)
      if (type === 'call-answer' && own === bob) expect((await line.hears('call-end')).data.reason).toBe('answered')
      else expect([type, (await line.hears('refused')).data.code]).toEqual([type, 'call_over'])
      line.hangsUp()
    }
  expect(await liveOf(callId)).toEqual(before)
  for (const line of [hers, his]) await line.settles()
  expect([...hers.news(), ...his.news()]).toEqual([])
})

test('nobody says who or which device a frame is from, and nobody ends a call in the name of the server', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const eve = await world.person('eve')
  const forged = { from: eve.id, device: eve.deviceId }
  const callId = randomUUID()
  hers.sends('call-offer', { callId, to: bob.id, attempt: 1, callType: 'voice', signal: bytes(32), ...forged })
  expect((await his.hears('call-offer')).data).toMatchObject({ from: alice.id, device: alice.deviceId })
  his.sends('call-answer', { callId, to: alice.id, attempt: 1, signal: bytes(64), ...forged })
  expect((await hers.hears('call-answer')).data).toMatchObject({ from: bob.id, device: bob.deviceId })
  hers.sends('call-signal', { callId, to: bob.id, attempt: 1, signal: bytes(64), ...forged })
  expect((await his.hears('call-signal')).data).toMatchObject({ from: alice.id, device: alice.deviceId })
  hers.sends('call-end', { callId, to: bob.id, reason: 'minutes', from: null })
  expect((await his.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'ended', from: alice.id })
})

/** Eve rings Alice and is refused, or is not; Alice hears nothing in any browser, now or when one comes. */
async function ringsInVain(eve: Person, alice: Person, code: string | null): Promise<void> {
  const [line, hers]: [Caller, Caller] = [await opensLine(eve, eve.id), await opensLine(alice, alice.id)]
  const callId = line.rings(alice.id)
  if (code === null) expect((await line.hears('call-success')).data).toEqual({ callId })
  else expect((await line.hears('refused')).data).toMatchObject({ code, id: callId })
  const late = await opensLine(alice, alice.id)
  for (const each of [hers, late]) {
    await each.settles()
    expect(each.news()).toEqual([])
  }
  expect(await findOwnLiveCall(world.env.db, callId, alice.id, world.env.clock())).toBeUndefined()
  hers.answers(callId, eve.id)
  expect((await hers.hears('refused')).data.code).toBe('call_over')
}

test('a stranger, an open request, one that was declined and one that is blocked ring nobody', async () => {
  const [alice, stranger, asking, declined, blocked] = await Promise.all(
    ['alice', 'stranger', 'asking', 'declined', 'blocked'].map((name) => world.person(name)),
  )
  if (!alice || !stranger || !asking || !declined || !blocked) throw new Error('Somebody is missing')
  for (const each of [asking, declined]) await each.adds(alice)
  const contactOf = async (who: Person) =>
    (await alice.contacts()).find(({ contactUserId }) => contactUserId === who.id)?.id ?? ''
  await alice.does(contactsApi.decline, { contactId: await contactOf(declined) })
  await blocked.talksTo(alice)
  await alice.does(contactsApi.block, { contactId: await contactOf(blocked) })
  for (const each of [stranger, asking, declined]) await ringsInVain(each, alice, 'not_a_contact')
  await ringsInVain(blocked, alice, null)
  // Who has blocked rings neither, by name.
  await ringsInVain(alice, blocked, 'not_a_contact')
  await ringsInVain(stranger, stranger, 'not_a_contact')
})

test('a free account cannot start a call, and answers those of others', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world, 'premium', 'free')
  const callId = his.rings(alice.id)
  expect((await his.hears('refused')).data).toEqual({ code: 'subscription_required', error: 'Subscription required', id: callId })
  await hers.settles()
  expect(hers.news()).toEqual([])
  await inCall(hers, his)
  expect(bob.id).toBe(his.userId)
})

test('Eve takes the id of a call that Alice has ended, or chooses one again: neither rings', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const eve = await world.person('eve')
  await eve.talksTo(bob)
  const callId = await inCall(hers, his)
  hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
  await his.hears('call-end')
  const line = await opensLine(eve, eve.id)
  line.rings(bob.id, { callId })
  expect((await line.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
  hers.rings(bob.id, { callId, attempt: 2 })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
  expect(alice.id).not.toBe(eve.id)
})

test('Eve rings two contacts by one id at once: the second is rung by no call of the first', async () => {
  const { alice: eve, bob, hers, his } = await pairOnLine(world)
  const carol = await world.person('carol')
  await eve.talksTo(carol)
  const callId = randomUUID()
  await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into calls (id, caller_id, callee_id, call_type, attempt, caller_session, is_rung, rang_at)
      select ${callId}, ${eve.id}, ${carol.id}, 'voice', 1, token_hash, false, ${world.env.clock()} from sessions where user_id = ${eve.id}`)
    hers.rings(bob.id, { callId })
    await world.lockWaits()
  })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
  await his.settles()
  expect(his.news()).toEqual([])
})

test('a sleeping session speaks for no call', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  await world.sql("update sessions set proven_at = now() - interval '2 days' where user_id = $1", [bob.id])
  his.answers(callId, alice.id)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'device_required', id: callId })
  await world.sql("update sessions set proven_at = now() - interval '2 days' where user_id = $1", [alice.id])
  hers.rings(bob.id, { callId, attempt: 2 })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'device_required', id: callId })
})

test('frames that do not fit are refused by the call’s id, and floods by each type’s own rate', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  const bad = [
    ['call-offer', { callId, to: bob.id, attempt: 0, callType: 'voice', signal: bytes(32) }],
    ['call-offer', { callId, to: bob.id, attempt: 2, callType: 'voice', signal: bytes(33) }],
    ['call-signal', { callId, to: bob.id, attempt: 1, signal: bytes(CALL_LIMITS.signalBytes + 3) }],
    ['ice-candidate', { callId, targetUserId: bob.id, attempt: 1, candidate: bytes(CALL_LIMITS.candidateBytes + 3) }],
  ] as const
  for (const [type, data] of bad) {
    hers.sends(type, data)
    expect((await hers.hears('refused')).data).toMatchObject({ code: 'malformed_frame', id: callId })
  }
  const many = FRAME_RATES['call-signal'].points * 2 + 1
  for (let count = 0; count < many; count++) hers.sends('call-signal', { callId, to: bob.id, attempt: 1, signal: bytes(64) })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'too_many_requests', id: callId })
  hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
  await his.hears('call-end')
  expect(alice.id).toBe(hers.userId)
})

test('by an onion service nobody rings and nobody answers, unless they let this call leave Tor', async () => {
  const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] }
  const port = await world.opens(onion)
  const by = (who: Person) => signsInAt(`http://127.0.0.1:${port}`, who, world.url)
  const { alice, bob } = await pairOnLine(world)
  const [hers, his] = [await opensLine(await by(alice), alice.id), await opensLine(await by(bob), bob.id)]
  // A foreign onion service passes on to the direct listener.
  const foreign = await bob.opensSocket({ host: `${'a'.repeat(56)}.onion` })
  await foreign.hears('hello')
  const offer = { callId: randomUUID(), to: bob.id, attempt: 1, callType: 'voice', signal: bytes(32) }
  for (const more of [{}, { leavesTor: false }]) {
    hers.sends('call-offer', { ...offer, ...more })
    expect((await hers.hears('refused')).data).toMatchObject({ code: 'call_leaves_tor', id: offer.callId })
  }
  await his.settles()
  expect(his.news()).toEqual([])
  hers.sends('call-offer', { ...offer, leavesTor: true })
  await his.hears('call-offer')
  const answer = { callId: offer.callId, to: alice.id, attempt: 1, signal: bytes(64) }
  his.sends('call-answer', answer)
  foreign.says({ type: 'call-answer', data: answer })
  for (const line of [his, foreign])
    expect((await line.hears('refused')).data).toMatchObject({ code: 'call_leaves_tor', id: offer.callId })
  his.sends('call-answer', { ...answer, leavesTor: true })
  await hers.hears('call-answer')
})

test('who rings all day is told to wait', async () => {
  const strict = await startWorld({ hasLimits: true })
  const [eve, alice] = [await strict.person('eve'), await strict.person('alice')]
  await eve.talksTo(alice)
  const line = await opensLine(eve, eve.id)
  line.rings(alice.id)
  await line.hears('call-success')
  await strict.env.limits.take('rings', eve.id, RATES.rings.points).catch(() => undefined)
  const callId = line.rings(alice.id)
  expect((await line.hears('refused')).data).toMatchObject({ code: 'too_many_requests', id: callId })
})
