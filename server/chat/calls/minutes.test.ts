import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { adminApi } from '../../../contract/admin/admin.ts'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { writePackageRights } from '../../ground/db/planrights.ts'
import { inCall, opensLine, pairOnLine, talksFor } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60
// No month ends in a test that is not about it.
world.passes(((40 - world.env.clock().getUTCDate()) % 31) * DAY)

/** A package of so many minutes. */
async function buys(who: Person, { voice = -1, video = -1 }: { voice?: number; video?: number }) {
  const id = randomUUID()
  await world.sql(
    `insert into premium_packages (id, name, description, tier, voice_call_minutes, video_call_minutes, created_at, updated_at)
     values ($1, 'Chambers', '', 'premium', $2, $3, now(), now())`,
    [id, voice, video],
  )
  await writePackageRights(world.env.db)
  await world.sql('update users set subscription_package_id = $2 where id = $1', [who.id, id])
}

async function usedBy(who: Person): Promise<unknown> {
  const [row] = await world.sql(
    'select voice_call_minutes as voice, video_call_minutes as video from monthly_usage where user_id = $1',
    [who.id],
  )
  return row ?? { voice: 0, video: 0 }
}

const uses = (who: Person, voice: number, video = 0) =>
  world.sql(
    `insert into monthly_usage (user_id, month, voice_call_minutes, video_call_minutes)
     values ($1, date_trunc('month', $2::timestamptz at time zone 'UTC') at time zone 'UTC', $3, $4)
     on conflict (user_id) do update set month = excluded.month, voice_call_minutes = $3, video_call_minutes = $4`,
    [who.id, world.env.clock(), voice, video],
  )

test('a call of 61 seconds counts two minutes, one of a minute one: of the caller alone, and of the kind of call', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
  await talksFor(world, 60, callId, [hers, his])
  world.passes(1)
  hers.sends('call-end', { callId, to: bob.id, reason: 'ended' })
  await his.hears('call-end')
  expect(await usedBy(alice)).toEqual({ voice: 2, video: 0 })

  const second = await inCall(hers, his, 'video')
  await talksFor(world, 50, second, [hers, his])
  his.sends('call-end', { callId: second, to: alice.id, reason: 'ended' })
  await hers.hears('call-end')
  expect(await usedBy(alice)).toEqual({ voice: 2, video: 1 })
  expect(await usedBy(bob)).toEqual({ voice: 0, video: 0 })
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ videoCallMinutesUsed: 1 })
})

test('minutes are counted while the call runs, and a call that nobody accepts costs none', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const unanswered = hers.rings(bob.id)
  await his.hears('call-offer')
  hers.sends('call-end', { callId: unanswered, to: bob.id, reason: 'no_answer' })
  await his.hears('call-end')
  expect(await usedBy(alice)).toEqual({ voice: 0, video: 0 })
  const callId = await inCall(hers, his)
  await talksFor(world, 130, callId, [hers, his])
  expect(await usedBy(alice)).toEqual({ voice: 3, video: 0 })
})

test('a crash of either side ends the count within thirty seconds', async () => {
  for (const who of ['caller', 'callee'] as const) {
    const { alice, hers, his } = await pairOnLine(world)
    const callId = await inCall(hers, his)
    await talksFor(world, 30, callId, [hers, his])
    // Its socket stays open, and nothing comes from it.
    await talksFor(world, 120, callId, [who === 'caller' ? his : hers])
    expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
  }
  const { alice, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  world.calls.places.forget(callId)
  world.passes(10 * 60)
  hers.beats(callId)
  await hers.settles()
  await world.calls.look()
  expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
})

test('a package of 30 minutes: the 31st is refused by name when it rings, and ends the call that reaches it', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  await buys(alice, { voice: 30 })
  await uses(alice, 28)
  const callId = await inCall(hers, his)
  await talksFor(world, 120, callId, [hers, his])
  expect(await usedBy(alice)).toEqual({ voice: 30, video: 0 })
  world.passes(1)
  await world.calls.look()
  for (const line of [hers, his])
    expect((await line.hears('call-end')).data).toEqual({ callId, to: line.userId, reason: 'minutes', from: null })
  expect(await usedBy(alice)).toEqual({ voice: 30, video: 0 })

  const next = hers.rings(bob.id)
  expect((await hers.hears('refused')).data).toEqual({
    code: 'call_minutes_reached',
    error: 'The call minutes of this month’s plan are used up',
    id: next,
  })
  await his.settles()
  expect(his.news().filter(({ type }) => type === 'call-offer')).toHaveLength(1)
  // Video has minutes of its own, and Bob may call her.
  await inCall(hers, his, 'video')
  await inCall(his, hers)
  expect(await usedBy(alice)).toEqual({ voice: 30, video: 1 })
})

test('two calls race for the last minute: one gets it', async () => {
  const { alice, his } = await pairOnLine(world)
  const carol = await world.person('carol')
  await alice.talksTo(carol)
  const carols = await opensLine(carol, carol.id)
  await buys(alice, { voice: 30 })
  for (let round = 0; round < 4; round++) {
    // Each socket has a rate.
    const hers = await opensLine(alice, alice.id)
    await uses(alice, 29)
    const calls = [his, carols].map((line) => ({ line, callId: hers.rings(line.userId) }))
    for (const { line, callId } of calls) await line.hears('call-offer', ({ data }) => data.callId === callId)
    for (const { line, callId } of calls) line.answers(callId, alice.id)
    const ended = await hers.hears('call-end', ({ data }) => data.reason === 'minutes')
    const [lost] = calls.filter(({ callId }) => callId === ended.data.callId)
    const [won] = calls.filter(({ callId }) => callId !== ended.data.callId)
    await hers.hears('call-answer', ({ data }) => data.callId === won?.callId)
    await lost?.line.hears('call-end', ({ data }) => data.callId === lost.callId && data.reason === 'minutes')
    expect(await usedBy(alice)).toEqual({ voice: 30, video: 0 })
    hers.sends('call-end', { callId: won?.callId, to: won?.line.userId, reason: 'ended' })
    await won?.line.hears('call-end', ({ data }) => data.callId === won.callId)
  }
})

test('a package without minutes of a kind refuses that kind; minutes of another month do not count', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  await buys(alice, { voice: 2, video: 0 })
  hers.rings(bob.id, { callType: 'video' })
  expect((await hers.hears('refused')).data.code).toBe('call_minutes_reached')
  await uses(alice, 2)
  await world.sql("update monthly_usage set month = month - interval '1 month' where user_id = $1", [alice.id])
  await inCall(hers, his)
  expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
})

test('a plan that lapses in a call pays for no further minute', async () => {
  const { alice, hers, his } = await pairOnLine(world)
  const callId = await inCall(hers, his)
  await world.sql("update users set subscription_tier = 'free' where id = $1", [alice.id])
  await talksFor(world, 70, callId, [hers, his])
  expect((await hers.hears('call-end')).data).toMatchObject({ callId, reason: 'minutes', from: null })
  expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
})

test('a free account receives: its video minutes are counted beyond the allowance, never refused and never cut', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world, 'premium', 'free')
  await uses(bob, 0, PLAN_LIMITS.freeVideoMinutes - 1)
  const callId = await inCall(hers, his, 'video')
  await talksFor(world, 70, callId, [hers, his])
  expect(await bob.does(paymentsApi.usage, {})).toMatchObject({
    videoCallMinutesUsed: PLAN_LIMITS.freeVideoMinutes + 1,
    videoCallMinutesLimit: PLAN_LIMITS.freeVideoMinutes,
  })
  his.sends('call-end', { callId, to: alice.id, reason: 'ended' })
  await hers.hears('call-end')
  await inCall(hers, his, 'video')
  await inCall(hers, his)
  expect(await usedBy(bob)).toEqual({ voice: 0, video: PLAN_LIMITS.freeVideoMinutes + 2 })
})

test('an administrator who resets the usage gives the minutes back, also in a call', async () => {
  const { alice, hers, his } = await pairOnLine(world)
  const ada = await world.person('ada')
  await world.sql('update users set is_admin = true where id = $1', [ada.id])
  await buys(alice, { voice: 2 })
  const callId = await inCall(hers, his)
  await talksFor(world, 70, callId, [hers, his])
  await ada.does(adminApi.resetUsage, { id: alice.id })
  await talksFor(world, 60, callId, [hers, his])
  expect(await usedBy(alice)).toEqual({ voice: 1, video: 0 })
  expect(hers.news().filter(({ type }) => type === 'call-end')).toEqual([])
})

test('nobody has more than twenty calls at once', async () => {
  const { alice, bob, hers } = await pairOnLine(world)
  await world.sql(
    `insert into calls (id, caller_id, callee_id, call_type, attempt, caller_session, is_rung, rang_at)
     select gen_random_uuid(), $1, $2, 'voice', 1, '', true, $3 from generate_series(1, $4::int)`,
    [alice.id, bob.id, world.env.clock(), CALL_LIMITS.liveMax],
  )
  hers.rings(bob.id)
  expect((await hers.hears('refused')).data.code).toBe('too_many_requests')
  await world.sql('update calls set ended_at = $2 where id = (select id from calls where caller_id = $1 limit 1)', [
    ...[alice.id, world.env.clock()],
  ])
  hers.rings(bob.id)
  await hers.hears('call-success')
})
