import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { CLOSE, RINGS_PATH } from '../../../contract/frames.ts'
import { privacyApi } from '../../../contract/people/privacy.ts'
import { bytes, inCall, opensLine, pairOnLine, talksFor } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { deleteOver, findOwnLiveCall } from './store.ts'
import { endLeftCalls, watchCalls } from './watch.ts'

const world = await startWorld()

const contactOf = async (who: Person, other: Person) =>
  (await who.contacts()).find(({ contactUserId }) => contactUserId === other.id)?.id ?? ''
const rowOf = async (callId: string) => (await world.sql('select * from calls where id = $1', [callId]))[0]

/** Sets a chat password, which opens the chat in this browser alone. */
async function locks(who: Person, other: Person, password = 'a chat password') {
  const contactId = await contactOf(who, other)
  await who.does(stepUpApi.confirm, { password: who.authSecret, kdf: 1 })
  await who.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  return { contactId, password }
}

test('Alice rings: every browser of Bob hears who, from which device and how; the first that accepts has the call, the others stop', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const laptop = await bob.addsBrowser()
  const [there, tab] = [await opensLine(laptop, bob.id), await opensLine(bob, bob.id)]
  const signal = bytes(32)
  const callId = hers.rings(bob.id, { callType: 'video', signal })
  expect((await hers.hears('call-success')).data).toEqual({ callId })
  const offer = { callId, to: bob.id, attempt: 1, callType: 'video', from: alice.id, device: alice.deviceId, signal }
  for (const line of [his, there, tab]) expect((await line.hears('call-offer')).data).toEqual(offer)
  expect(await findOwnLiveCall(world.env.db, callId, bob.id, world.env.clock())).toMatchObject({ id: callId })

  there.answers(callId, alice.id)
  const { data } = await hers.hears('call-answer')
  expect(data).toMatchObject({ callId, to: alice.id, attempt: 1, from: bob.id, device: laptop.deviceId })
  const elsewhere = { callId, to: bob.id, reason: 'answered', from: null }
  for (const line of [his, tab]) expect((await line.hears('call-end')).data).toEqual(elsewhere)
  // Another browser that accepts a moment later is told so, and Alice is not.
  his.answers(callId, alice.id)
  expect((await his.hears('call-end')).data).toEqual(elsewhere)
  await hers.settles()
  expect(hers.frames.filter(({ type }) => type === 'call-answer')).toHaveLength(1)

  for (const [from, to] of [
    [hers, there],
    [there, hers],
  ] as const) {
    from.sends('call-signal', { callId, to: to.userId, attempt: 1, signal: 'c2VhbGVk' })
    expect((await to.hears('call-signal')).data).toMatchObject({ callId, from: from.userId, signal: 'c2VhbGVk' })
    from.sends('ice-candidate', { callId, targetUserId: to.userId, attempt: 1, candidate: 'c2VhbGVk' })
    expect((await to.hears('ice-candidate')).data).toMatchObject({ callId, targetUserId: to.userId, candidate: 'c2VhbGVk' })
  }
  hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
  expect((await there.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'ended', from: alice.id })
  await Promise.all([his, tab].map((line) => line.settles()))
  for (const line of [his, tab]) {
    const heard = line.news().map(({ type }) => type)
    expect(heard.filter((type) => type === 'call-signal' || type === 'ice-candidate')).toEqual([])
  }
  expect(await findOwnLiveCall(world.env.db, callId, alice.id, world.env.clock())).toBeUndefined()
})

test('two browsers accept in the same moment: one has the call', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const there = await opensLine(await bob.addsBrowser(), bob.id)
  for (let round = 0; round < 4; round++) {
    const callId = hers.rings(bob.id)
    await Promise.all([his, there].map((line) => line.hears('call-offer', ({ data }) => data.callId === callId)))
    for (const line of [his, there]) line.answers(callId, alice.id)
    await hers.hears('call-answer', ({ data }) => data.callId === callId)
    const isLate = ({ data }: { data: { callId: string } }) => data.callId === callId
    await Promise.race([his, there].map((line) => line.hears('call-end', isLate).catch(() => new Promise(() => undefined))))
    await Promise.all([hers, his, there].map((line) => line.settles()))
    const answers = hers.news().filter((frame) => frame.type === 'call-answer' && frame.data.callId === callId)
    expect(answers).toHaveLength(1)
    hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
    await hers.settles()
  }
})

test('a browser that comes while it rings hears it, and one that comes later does not', async () => {
  const { alice, bob, hers } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await hers.hears('call-success')
  const late = await opensLine(bob, bob.id)
  const { data } = await late.hears('call-offer')
  expect(data).toMatchObject({ callId, from: alice.id, device: alice.deviceId, signal: expect.any(String) })
  late.answers(callId, alice.id)
  await hers.hears('call-answer')
  const later = await opensLine(bob, bob.id)
  await later.settles()
  expect(later.news()).toEqual([])
})

test('a browser that is locked hears that somebody rings, not who or how, and when it stops; nothing else', async () => {
  const { alice, bob, hers, his, chatRoomId } = await pairOnLine(world)
  const laptop = await bob.addsBrowser()
  await laptop.does(sessionsApi.sleep, {})
  const refused = await laptop.opensSocket()
  expect(await refused.closed).toMatchObject({ code: CLOSE.deviceRequired })
  his.hangsUp()
  await expect.poll(() => world.env.hub.isHere(bob.id)).toBe(false)
  const locked = await opensLine(laptop, bob.id, RINGS_PATH)
  // Nobody is here by it.
  expect(world.env.hub.isHere(bob.id)).toBe(false)

  const callId = hers.rings(bob.id, { callType: 'video' })
  const none = { callType: null, from: null, device: null, signal: null }
  expect((await locked.hears('call-offer')).data).toEqual({ callId, to: bob.id, attempt: 1, ...none })
  const second = await opensLine(laptop, bob.id, RINGS_PATH)
  expect((await second.hears('call-offer')).data).toEqual({ callId, to: bob.id, attempt: 1, ...none })
  await alice.says(chatRoomId, 'are you there?')
  hers.sends('typing', { chatRoomId, isTyping: true })
  locked.answers(callId, alice.id)
  expect((await locked.hears('refused')).data).toMatchObject({ code: 'device_required', id: callId })
  hers.sends('call-end', { callId, to: bob.id, reason: 'no_answer' })
  expect((await locked.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'ended', from: null })
  await locked.settles()
  expect(locked.frames.map(({ type }) => type)).toEqual(['hello', 'call-offer', 'refused', 'call-end', 'refused'])

  // Unlocked, it is rung like any other.
  const again = hers.rings(bob.id)
  await locked.hears('call-offer')
  await laptop.proves(laptop.deviceId)
  const awake = await opensLine(laptop, bob.id)
  expect((await awake.hears('call-offer')).data).toMatchObject({ callId: again, from: alice.id })
  awake.answers(again, alice.id)
  await hers.hears('call-answer')
  expect((await locked.hears('call-end')).data).toMatchObject({ callId: again, reason: 'ended', from: null })
  // A session that ends is told nothing more.
  await laptop.does(accountApi.logout, {})
  expect(await locked.closed).toMatchObject({ code: CLOSE.signedOut })
})

test('a session that no device has ever signed for hears no ring', async () => {
  const { bob, hers } = await pairOnLine(world)
  const elsewhere = await bob.elsewhere()
  const line = await elsewhere.opensSocket({}, RINGS_PATH)
  expect(await line.closed).toMatchObject({ code: CLOSE.deviceRequired })
  hers.rings(bob.id)
  await hers.hears('call-success')
  expect(line.frames.map(({ type }) => type)).toEqual(['hello'])
})

test('declined in one browser, it rings in none; the caller is told', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const there = await opensLine(await bob.addsBrowser(), bob.id)
  const callId = hers.rings(bob.id)
  await Promise.all([his, there].map((line) => line.hears('call-offer')))
  there.sends('call-reject', { callId, to: alice.id, attempt: 1, reason: 'declined' })
  expect((await hers.hears('call-reject')).data).toEqual({ callId, to: alice.id, attempt: 1, reason: 'declined', from: bob.id })
  expect((await his.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'ended', from: null })
  his.answers(callId, alice.id)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
})

test('busy is told to whom presence is shown; for anybody else it rings on until nobody answers', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const there = await opensLine(await bob.addsBrowser(), bob.id)
  const [told, untold] = [hers.rings(bob.id), randomUUID()]
  await his.hears('call-offer')
  his.sends('call-reject', { callId: told, to: alice.id, attempt: 1, reason: 'busy' })
  expect((await hers.hears('call-reject')).data).toMatchObject({ callId: told, reason: 'busy' })
  await there.hears('call-end')

  await bob.does(privacyApi.update, { presence: false })
  hers.rings(bob.id, { callId: untold })
  await his.hears('call-offer', ({ data }) => data.callId === untold)
  his.sends('call-reject', { callId: untold, to: alice.id, attempt: 1, reason: 'busy' })
  await there.hears('call-end', ({ data }) => data.callId === untold)
  await hers.settles()
  hers.news()
  expect(await rowOf(untold)).toMatchObject({ ended_at: null, is_rung: false, signal: null })
  // A new attempt of it does not ring either.
  hers.rings(bob.id, { callId: untold, attempt: 2 })
  await hers.hears('call-success', ({ data }) => data.callId === untold)
  await his.settles()
  expect(his.news().filter((frame) => frame.type === 'call-offer' && frame.data.attempt === 2)).toEqual([])
  world.passes(CALL_LIMITS.ringSeconds + CALL_LIMITS.ringGraceSeconds)
  await world.calls.look()
  expect((await hers.hears('call-end')).data).toEqual({ callId: untold, to: alice.id, reason: 'no_answer', from: null })
  expect(hers.frames.filter(({ type }) => type === 'call-reject')).toHaveLength(1)
})

test('nobody answers for 45 seconds: the server ends it shortly after, where the caller’s page has not', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  world.passes(CALL_LIMITS.ringSeconds)
  await world.calls.look()
  expect(await rowOf(callId)).toMatchObject({ ended_at: null })
  world.passes(CALL_LIMITS.ringGraceSeconds)
  await world.calls.look()
  expect((await hers.hears('call-end')).data).toEqual({ callId, to: alice.id, reason: 'no_answer', from: null })
  expect((await his.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'no_answer', from: null })
  his.answers(callId, alice.id)
  await his.hears('refused', ({ data }) => data.code === 'call_over')
  // A page that comes back late does not ring anew by the same call.
  hers.rings(bob.id, { callId, attempt: 2 })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
})

test('a new attempt of an answered call goes to the session that answered; of older ones nothing is passed', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const there = await opensLine(await bob.addsBrowser(), bob.id)
  const callId = await inCall(hers, his)
  await there.hears('call-end')
  // Bob's page was loaded anew.
  his.sends('call-reject', { callId, to: alice.id, attempt: 1, reason: 'again' })
  expect((await hers.hears('call-reject')).data).toMatchObject({ callId, attempt: 1, reason: 'again', from: bob.id })
  hers.rings(bob.id, { callId, attempt: 2, callType: 'video' })
  expect((await his.hears('call-offer', ({ data }) => data.attempt === 2)).data).toMatchObject({ callId, callType: 'voice' })
  his.answers(callId, alice.id, 2)
  expect((await hers.hears('call-answer')).data).toMatchObject({ callId, attempt: 2 })
  // The chat has moved on: he answers anew.
  hers.sends('call-reject', { callId, to: bob.id, attempt: 2, reason: 'epoch' })
  expect((await his.hears('call-reject')).data).toMatchObject({ reason: 'epoch', from: alice.id })
  his.answers(callId, alice.id, 2)
  await hers.hears('call-answer')

  await Promise.all([hers, his].map((line) => line.settles()))
  for (const line of [hers, his, there]) line.news()
  his.answers(callId, alice.id, 1)
  his.sends('call-signal', { callId, to: alice.id, attempt: 1, signal: 'c2VhbGVk' })
  his.sends('call-reject', { callId, to: alice.id, attempt: 1, reason: 'again' })
  hers.rings(bob.id, { callId, attempt: 1 })
  await Promise.all([hers, his].map((line) => line.settles()))
  await hers.settles()
  await there.settles()
  expect(hers.news()).toEqual([{ type: 'call-success', data: { callId } }])
  expect(his.news()).toEqual([])
  expect(there.news()).toEqual([])
})

test('a caller whose page is loaded anew while it rings makes a new attempt, which rings by the new commitment', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  const [back, signal] = [await opensLine(alice, alice.id), bytes(32)]
  hers.hangsUp()
  back.rings(bob.id, { callId, attempt: 2, signal })
  expect((await his.hears('call-offer')).data).toMatchObject({ callId, attempt: 2, signal })
  his.answers(callId, alice.id, 1)
  his.answers(callId, alice.id, 2)
  expect((await back.hears('call-answer')).data).toMatchObject({ callId, attempt: 2 })
})

test('an end whose page has gone and is not back within six seconds is lost; one that is back is not', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  his.hangsUp()
  await his.closed
  world.passes(CALL_LIMITS.goneMs / 1000 - 1)
  await world.calls.look()
  const back = await opensLine(bob, bob.id)
  back.beats(callId)
  await back.settles()
  world.passes(2)
  await world.calls.look()
  expect(await rowOf(callId)).toMatchObject({ ended_at: null })
  back.hangsUp()
  await back.closed
  await expect.poll(() => world.env.hub.isHere(bob.id)).toBe(false)
  world.passes(CALL_LIMITS.goneMs / 1000)
  await world.calls.look()
  expect((await hers.hears('call-end')).data).toEqual({ callId, to: alice.id, reason: 'lost', from: null })
})

test('a caller whose page dies rings no more', async () => {
  const { bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  hers.hangsUp()
  await hers.closed
  await expect.poll(() => world.env.hub.isHere(hers.userId)).toBe(false)
  world.passes(CALL_LIMITS.goneMs / 1000)
  await world.calls.look()
  expect((await his.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'lost', from: null })
})

test('a caller whose page dies before its ring was handled rings no more either', async () => {
  const { bob, hers, his } = await pairOnLine(world)
  const callId = randomUUID()
  await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from users where id = ${hers.userId} for update`)
    hers.rings(bob.id, { callId })
    await world.lockWaits()
    hers.hangsUp()
    await hers.closed
    await expect.poll(() => world.env.hub.isHere(hers.userId)).toBe(false)
  })
  await his.hears('call-offer')
  await expect.poll(() => world.calls.places.callIds()).toContain(callId)
  world.passes(CALL_LIMITS.goneMs / 1000)
  await world.calls.look()
  expect((await his.hears('call-end')).data).toEqual({ callId, to: bob.id, reason: 'lost', from: null })
})

test('an end that is silent while the other is not has left', async () => {
  const { hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  await talksFor(world, 20, callId, [hers, his])
  await talksFor(world, 30, callId, [hers])
  expect(await rowOf(callId)).toMatchObject({ ended_at: null })
  await talksFor(world, 10, callId, [hers])
  for (const line of [hers, his])
    expect((await line.hears('call-end')).data).toMatchObject({ callId, reason: 'lost', from: null })
  his.beats(callId)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
})

test('a restart of the server ends no call: both were silent, and both go on', async () => {
  const { hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  // The process that heard of the call is gone.
  world.calls.places.forget(callId)
  const [job, after] = [endLeftCalls(), watchCalls(world.env, () => undefined)]
  onTestFinished(() => after.stop())
  world.passes(10 * 60)
  await after.look()
  await job(world.env)
  expect(await rowOf(callId)).toMatchObject({ ended_at: null })
  await talksFor(world, 30, callId, [hers, his])
  await talksFor(world, 10, callId, [his, hers])
  expect(await rowOf(callId)).toMatchObject({ ended_at: null })
})

test('what a dead process has left is ended by a job, once it has listened for a minute; two minutes later nothing is left', async () => {
  const { bob, hers, his } = await pairOnLine(world)
  const [rung, answered] = [randomUUID(), await inCall(hers, his)]
  hers.rings(bob.id, { callId: rung })
  await hers.hears('call-success', ({ data }) => data.callId === rung)
  for (const id of [rung, answered]) world.calls.places.forget(id)
  const job = endLeftCalls()
  world.passes(CALL_LIMITS.leftSeconds)
  await job(world.env)
  expect([await rowOf(rung), await rowOf(answered)]).toMatchObject([{ ended_at: expect.any(Date) }, { ended_at: null }])
  world.passes(60)
  await job(world.env)
  expect(await rowOf(answered)).toMatchObject({ ended_at: expect.any(Date), signal: null, caller_device: null })
  world.passes(CALL_LIMITS.overSeconds)
  await job(world.env)
  expect(await world.sql('select id from calls where id = any($1)', [[rung, answered]])).toEqual([])
})

test('however many calls run, the job comes to those that a dead process has left', async () => {
  const { alice, bob, hers } = await pairOnLine(world)
  const now = world.env.clock()
  await world.sql(
    `insert into calls (id, caller_id, callee_id, call_type, attempt, caller_session, is_rung, rang_at, answered_at, caller_beat_at, callee_beat_at)
     select gen_random_uuid(), $1, $2, 'voice', 1, '', true, $3, $3, $4, $4 from generate_series(1, 500)`,
    [bob.id, alice.id, new Date(now.getTime() - 60 * 60_000), new Date(now.getTime() + 60 * 60_000)],
  )
  const callId = hers.rings(bob.id)
  await hers.hears('call-success')
  world.calls.places.forget(callId)
  world.passes(CALL_LIMITS.ringSeconds + CALL_LIMITS.ringGraceSeconds)
  await endLeftCalls()(world.env)
  expect(await rowOf(callId)).toMatchObject({ ended_at: expect.any(Date) })
  expect(await world.sql('select from calls where callee_id = $1 and ended_at is not null', [alice.id])).toEqual([])
})

test('the job that deletes calls that are over waits for nobody', async () => {
  const { hers, his } = await pairOnLine(world)
  const [held, free] = [await inCall(hers, his), await inCall(hers, his)]
  await world.sql('update calls set ended_at = now() where id = any($1)', [[held, free]])
  const later = new Date(world.env.clock().getTime() + 60_000)
  await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from calls where id = ${held} for update`)
    await world.env.db.transaction(async (job) => {
      await job.execute(sql`set local lock_timeout = '5s'`)
      await deleteOver(job, later, 500)
    })
  })
  expect([await rowOf(held), await rowOf(free)]).toMatchObject([{ id: held }, undefined])
})

test('a chat that is locked in this browser rings by name, and is neither called from it nor answered in it before its password', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const laptop = await bob.addsBrowser()
  const there = await opensLine(laptop, bob.id)
  const his2 = await locks(bob, alice)
  await bob.does(chatLocksApi.verify, { contactId: his2.contactId, password: his2.password })
  const callId = hers.rings(bob.id)
  expect((await there.hears('call-offer')).data).toMatchObject({ from: alice.id })
  there.answers(callId, alice.id)
  expect((await there.hears('refused')).data).toMatchObject({ code: 'chat_locked', id: callId })
  his.answers(callId, alice.id)
  await hers.hears('call-answer')
  // One that locks itself in its call goes on.
  await bob.does(chatLocksApi.lock, { contactId: his2.contactId })
  hers.rings(bob.id, { callId, attempt: 2 })
  await his.hears('call-offer', ({ data }) => data.attempt === 2)
  his.answers(callId, alice.id, 2)
  await hers.hears('call-answer')
  his.sends('call-end', { callId, to: alice.id, reason: 'ended' })
  await hers.hears('call-end')

  const own = there.rings(alice.id)
  expect((await there.hears('refused', ({ data }) => data.id === own)).data).toMatchObject({ code: 'chat_locked' })
  await hers.settles()
  expect(hers.news().filter(({ type }) => type === 'call-offer')).toEqual([])
})

test('an account that is deleted leaves no call, and the other is told', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  expect((await hers.hears('call-end')).data).toEqual({ callId, to: alice.id, reason: 'lost', from: null })
  expect(await rowOf(callId)).toBeUndefined()
  const next = hers.rings(bob.id)
  expect((await hers.hears('refused', ({ data }) => data.id === next)).data.code).toBe('account_deleted')
})

test('a first call that is accepted in the moment of a deletion takes its turn: neither waits for the other', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  await world.env.db.transaction(async (tx) => {
    // The deletion locks in this order.
    await tx.execute(sql`select from users where id = ${alice.id} for update`)
    his.answers(callId, alice.id)
    await world.lockWaits()
    await tx.execute(sql`select from calls where id = ${callId} for update nowait`)
    await tx.execute(sql`delete from calls where id = ${callId}`)
  })
  expect((await his.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
})

test('who blocks a caller while it rings is rung no more, and cannot answer', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = hers.rings(bob.id)
  await his.hears('call-offer')
  await bob.does(contactsApi.block, { contactId: await contactOf(bob, alice) })
  const late = await opensLine(bob, bob.id)
  await late.settles()
  expect(late.news()).toEqual([])
  his.answers(callId, alice.id)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'call_over', id: callId })
  hers.rings(bob.id, { callId, attempt: 2 })
  await hers.hears('call-success')
  await late.settles()
  expect(late.news()).toEqual([])
})

test('no log has an id of a person or a call', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
  await his.hears('call-end')
  for (const id of [callId, alice.id, bob.id]) expect(world.log()).not.toContain(id)
})
