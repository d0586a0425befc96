import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { PLANS, type Tier, tierShape } from '../../../contract/money/plans.ts'
import { appendMessages } from '../../chat/rooms/store-append.ts'
import { writePlanRights } from '../../ground/db/planrights.ts'
import { planRights } from '../../ground/db/schema/plans.ts'
import { newMessage } from '../../testing/message.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { setTier } from '../ledger/ledger.ts'
import { effectiveTier, listAccountPlans } from './plans.ts'

const world = await startWorld()
const { db, clock } = world.env
const HOUR = 60 * 60
const DAY = 24 * HOUR
const later = (seconds: number) => new Date(clock().getTime() + seconds * 1000)

const ends = (who: Person, at: Date | null) =>
  world.sql('update users set subscription_end_date = $2 where id = $1', [who.id, at])
const shownTier = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const signsIn = (who: Person) => who.returns()
const rowsOf = (chatRoomId: string) =>
  world.sql('select * from messages where room = (select number from chat_rooms where id = $1)', [chatRoomId])

async function freshPair(tier?: Tier): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one', tier), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

test("the database holds the contract's plans", async () => {
  const rows = await db.select().from(planRights).where(eq(planRights.plan, planRights.tier))
  expect(rows.map((row) => row.plan).sort()).toEqual([...tierShape.options].sort())
  for (const row of rows) {
    const { rights, messagesPerMonth, fileBytes } = PLANS[tierShape.parse(row.plan)]
    expect(row).toMatchObject({ canSend: rights.send, canCall: rights.call, canShareFiles: rights.shareFiles })
    expect(row).toMatchObject({ hasFamily: rights.family, messagesPerMonth, fileBytes })
  }
})

test('a plan counts until its end date: then the account shows as free, signs in as free and cannot send', async () => {
  const { one, chatRoomId } = await freshPair()
  await ends(one, later(HOUR))
  expect(await shownTier(one)).toBe('premium')
  await one.says(chatRoomId, 'paid')
  world.passes(HOUR)
  expect(await shownTier(one)).toBe('free')
  expect(await one.posts(chatRoomId, 'too late')).toBeRefused(403, 'subscription_required')
  expect((await signsIn(one)).subscriptionTier).toBe('free')
  await ends(one, later(HOUR))
  expect(await shownTier(one)).toBe('premium')
  expect((await signsIn(one)).subscriptionTier).toBe('premium')
  await one.says(chatRoomId, 'paid again')
  expect(await rowsOf(chatRoomId)).toHaveLength(2)
})

test('the last millisecond before the end date is paid, the end date itself is not', async () => {
  const { one, chatRoomId } = await freshPair()
  const end = later(HOUR)
  await ends(one, end)
  const send = async (now: Date) => (await appendMessages(world.pool, [newMessage(chatRoomId, one)], now))[0]?.verdict
  const before = new Date(end.getTime() - 1)
  expect([await effectiveTier(db, one.id, before), await send(before)]).toEqual(['premium', 'stored'])
  expect([await effectiveTier(db, one.id, end), await send(end)]).toEqual(['free', 'subscription_required'])
})

test('a subscription that is no longer active counts until its end date, and without one not at all', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql("update users set subscription_status = 'past_due', subscription_end_date = $2 where id = $1", [
    one.id,
    later(HOUR),
  ])
  await one.says(chatRoomId, 'in time')
  await ends(one, null)
  expect(await shownTier(one)).toBe('free')
  expect(await one.posts(chatRoomId, 'without a date')).toBeRefused(403, 'subscription_required')
})

test('a plan that this server does not know gives no right', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql("update users set subscription_tier = 'platinum' where id = $1", [one.id])
  expect(await shownTier(one)).toBe('free')
  expect(await one.posts(chatRoomId, 'let me in')).toBeRefused(403, 'subscription_required')
})

test('Eve, whose plan has ended, cannot send by any way there is, over a socket from before neither', async () => {
  const [eve, bob] = await Promise.all([world.person('eve'), world.person('bob')])
  const chatRoomId = await eve.talksTo(bob)
  const kept = await eve.says(chatRoomId, 'while it was paid')
  const line = await eve.opensSocket()
  await ends(eve, later(1))
  world.passes(1)
  const draft = { chatRoomId, content: 'for free', messageType: 'text' as const }
  for (const more of [{}, { id: randomUUID() }, { replyToId: kept.id }, { senderId: bob.id }, { subscriptionTier: 'premium' }]) {
    expect(await eve.posts(chatRoomId, 'for free', more)).toBeRefused(403, 'subscription_required')
  }
  for (const more of [{}, { subscriptionTier: 'premium' }, { senderId: bob.id }]) {
    const id = randomUUID()
    line.says({ type: 'message', data: { ...draft, id, ...more } })
    expect((await line.hears('refused', (frame) => frame.data.id === id)).data.code).toBe('subscription_required')
  }
  expect(await rowsOf(chatRoomId)).toHaveLength(1)
  // Reading is still allowed, and so is resending a message that is stored.
  expect(await eve.says(chatRoomId, 'while it was paid', { id: kept.id })).toEqual(kept)
  line.hangsUp()
})

test("the eleventh message of a Test plan is refused with the plan's number, and the first of the next month is not", async () => {
  const { one, chatRoomId } = await freshPair('test')
  for (let at = 1; at <= 10; at++) await one.says(chatRoomId, `${at}`)
  const refused = await one.posts(chatRoomId, '11')
  expect(refused).toBeRefused(403, 'message_limit_reached')
  expect(refused.body).toMatchObject({
    error: 'Message limit reached message: You’ve sent the 10 messages of this month’s plan',
  })
  const now = clock()
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  world.passes((next - now.getTime()) / 1000 + 1)
  await signsIn(one)
  for (let at = 1; at <= 10; at++) await one.says(chatRoomId, `${at} again`)
  expect(await one.posts(chatRoomId, '11 again')).toBeRefused(403, 'message_limit_reached')
})

test('a plan of its own, such as a package, is one more row: its numbers count and stand in the words', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql(`insert into plan_rights select 'package-7', version, can_send, can_call, can_share_files, has_family, 2, file_bytes, tier
    from plan_rights where plan = 'premium'`)
  await world.sql("update users set subscription_tier = 'package-7' where id = $1", [one.id])
  expect(await shownTier(one)).toBe('premium')
  await one.says(chatRoomId, '1')
  await one.says(chatRoomId, '2')
  expect((await one.posts(chatRoomId, '3')).body).toMatchObject({ error: expect.stringContaining('the 2 messages') })
})

test('a server of an older version that starts last leaves the newer table of plans', async () => {
  const isTest = eq(planRights.plan, 'test')
  await db.transaction(async (tx) => {
    await tx.update(planRights).set({ version: 900, messagesPerMonth: 20 }).where(isTest)
    await writePlanRights(tx)
    expect(await tx.select().from(planRights).where(isTest)).toMatchObject([{ version: 900, messagesPerMonth: 20 }])
    await tx.update(planRights).set({ version: 0 }).where(isTest)
    await writePlanRights(tx)
    expect(await tx.select().from(planRights).where(isTest)).toMatchObject([{ messagesPerMonth: 10 }])
    await tx.execute(sql`delete from plan_rights where plan = 'master'`)
    await Promise.all([writePlanRights(tx), writePlanRights(tx)])
    expect(await tx.$count(planRights, eq(planRights.plan, 'master'))).toBe(1)
  })
})

test('a given plan starts now, takes the place of the old one with its dates, and says what is wrong by name', async () => {
  const { one, chatRoomId } = await freshPair('free')
  const give = (tier: string, endDate?: Date, username = one.username) => setTier(db, clock(), { username, tier, endDate })
  const dates = async () =>
    (
      await world.sql('select subscription_start_date as start, subscription_end_date as end from users where id = $1', [one.id])
    )[0]

  const end = later(DAY)
  expect(await give('premium', end, one.username.toUpperCase())).toBe(one.username)
  expect(await dates()).toEqual({ start: expect.any(Date), end })
  await one.says(chatRoomId, 'paid')
  await expect(give('gold')).rejects.toThrow('There is no plan "gold". The plans are free, test, premium, master, enterprise')
  await expect(give('premium', undefined, 'nobody_at_all')).rejects.toThrow('Nobody is called nobody_at_all')
  await expect(give('premium', clock())).rejects.toThrow('The end date must lie ahead')
  await expect(give('free', end)).rejects.toThrow('The plan free has no end date')
  expect(await dates()).toEqual({ start: expect.any(Date), end })

  const planOf = async () => (await listAccountPlans(db, clock())).find((row) => row.username === one.username)
  expect(await planOf()).toMatchObject({ tier: 'premium', given: 'premium', endDate: end })
  world.passes(2 * DAY)
  expect(await planOf()).toMatchObject({ tier: 'free', given: 'premium', endDate: end })
  await give('test')
  expect(await dates()).toEqual({ start: expect.any(Date), end: null })
  await one.says(chatRoomId, 'on the Test plan')
  await world.sql("update users set subscription_status = 'cancelled' where id = $1", [one.id])
  await give('master')
  expect(await shownTier(one)).toBe('master')
  await give('free')
  expect(await dates()).toEqual({ start: null, end: null })
  expect(await one.posts(chatRoomId, 'no more')).toBeRefused(403, 'subscription_required')
})
