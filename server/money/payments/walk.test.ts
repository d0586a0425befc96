import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { coinsApi } from '../../../contract/money/coins.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { giveTier } from '../../admin/operator.ts'
import type { Trouble } from '../../sandbox/sandbox.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { takeCopy } from '../../testing/restored.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { checkProvider } from '../check/checks.ts'
import { followPlans } from '../ledger/ledger.ts'
import { startProvider } from './provider.ts'

let known: World | undefined
const bitcoin = await startBitcoin(() => known?.env.clock() ?? new Date(), accountKeys(11).bitcoin)
const world = await startWorld({ variables: { ...bitcoin.variables, ...(await startPriceSources()).variables } })
known = world
const { sandbox, pays, passes, holds, changesCard, atPortal, waitingOf, disputes, failsRefunds, ...books } = cardsOf(world)
const { atProvider, inLedger } = books
const { clock } = world.env
let plans = followPlans()
const STEPS = Number(process.env['WALK_STEPS'] ?? 100)
let seed = Number(process.env['WALK_SEED'] ?? 7_219) % 2_147_483_647
const next = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const oneOf = <T>(list: readonly [T, ...T[]]): T => list[next(list.length)] ?? list[0]

const offer = () => ({
  tier: oneOf(['test', 'premium'] as const),
  billingPeriod: oneOf(['monthly', 'monthly', 'yearly'] as const),
})
const acts = ['pay', 'confirmed', 'confirmed', 'confirmed', 'failed'] as const
const anyCard = () => oneOf(Object.values(CARD) as [string, ...string[]])

/** What a person or the provider does. What the server refuses by name changes nothing, so any answer below 500 is fine. */
const verbs: Record<string, (who: Person) => Promise<unknown>> = {
  buys: async (who) => {
    const { tier, ...choice } = offer()
    const { body } = await tries(who, paymentsApi.checkout, { planType: tier, ...choice })
    const url = paymentsApi.checkout.output.safeParse(body).data?.url
    if (url !== undefined) await pays(url, anyCard(), oneOf(acts))
  },
  changes: async (who) => {
    const { body } = await tries(who, paymentsApi.upgrade, offer())
    const url = paymentsApi.upgrade.output.safeParse(body).data?.checkoutUrl
    if (url !== undefined && next(2) === 0) await pays(url, anyCard(), oneOf(acts))
  },
  paysWhatWaits: async (who) => {
    const waiting = await waitingOf(who)
    if (waiting) await pays(waiting.url, anyCard(), oneOf(acts))
  },
  ends: (who) => tries(who, paymentsApi.upgrade, { tier: 'free' }),
  keeps: (who) => tries(who, paymentsApi.keep, {}),
  isPaidBack: (who) => tries(who, paymentsApi.refund, {}),
  changesCard: async (who) => ((await hasPortal(who)) ? await changesCard(who, anyCard()) : undefined),
  renews: async (who) => ((await hasPortal(who)) ? await atPortal(who, { act: oneOf(['renew', 'collect']) }) : undefined),
  isGiven: (who) => {
    const tier = oneOf(['free', 'premium', 'master'])
    const endDate = tier === 'free' ? undefined : new Date(world.env.clock().getTime() + (1 + next(20)) * 86_400_000)
    return giveTier(world.env, { username: who.username, tier, endDate })
  },
  endsUnpaid: async (who) => {
    if (!(await hasPortal(who))) return
    await changesCard(who, oneOf([CARD.declined, CARD.poor]))
    await atPortal(who, { act: 'renew' })
    await tries(who, paymentsApi.upgrade, { tier: 'free' })
    await changesCard(who, CARD.good)
  },
  isDisputed: async (who) => {
    const [last] = await world.sql(NEWEST_DISPUTE, [who.id])
    if (!(await isPaying(who)) || last?.['status'] === 'won' || last?.['status'] === 'lost') return
    await disputes(who, oneOf(last ? ['won', 'lost'] : ['warning_needs_response', 'needs_response', 'needs_response']))
  },
  isNotPaidBack: async (who) => {
    await tries(who, paymentsApi.refund, {})
    await failsRefunds(who)
  },
  paysByCoin: async (who) => {
    if (next(3) > 0) return
    const wish = { packageId: PREMIUM, currency: 'bitcoin', billingPeriod: 'monthly', endsCard: true } as const
    const { data: payment } = coinsApi.createPayment.output.safeParse((await tries(who, coinsApi.createPayment, wish)).body)
    if (!payment) return
    await bitcoin.pay(payment.paymentAddress, BigInt(payment.amount.replace('.', '')))
    await bitcoin.mine(6)
    for (let look = 0; look < 2; look++) {
      world.passes(61)
      await world.jobs.runDue()
    }
    coinCents.set(who.id, (coinCents.get(who.id) ?? 0) + 100_000)
  },
  /** Either clock is ahead. */
  clocksDiffer: async () => {
    const aheadMs = (next(5) - 2) * 60_000
    world.env.clock = () => new Date(clock().getTime() + aheadMs)
  },
  /** Another key for a while: nothing of this one counts there, and all of it comes back. */
  changesKey: async () => {
    const now = world.env.clock()
    await startProvider(world.env.db, now, { provider: 'stripe', secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }, undefined)
    await holds()
    await startProvider(world.env.db, now, { provider: 'sandbox' }, undefined)
  },
  copies: async () => {
    copy = { restore: await takeCopy(world), coins: new Map(coinCents), heard: heard.length }
  },
  isRestored: async () => {
    if (!copy) return
    await copy.restore()
    coinCents = new Map(copy.coins)
    // A server that starts anew.
    plans = followPlans()
    for (const payload of heard.splice(copy.heard)) await sandbox.post({ payload, signature: '' })
    copy = undefined
  },
  waits: async () => {
    await passes(next(20))
    while (await plans(world.env));
  },
}

const PREMIUM = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const NEWEST_DISPUTE = `select body ->> 'status' as status from sandbox_objects d where kind = 'dispute'
  and body ->> 'payment_intent' = (select body #>> '{payments,data,0,payment,payment_intent}' from sandbox_objects i
    where i.kind = 'invoice' and i.body ->> 'status' = 'paid'
    and i.customer = (select customer_id from card_accounts where user_id = $1) order by i.place desc limit 1)`
const isPaying = async (who: Person) =>
  (
    await world.sql(
      `select from sandbox_objects where kind = 'invoice' and body ->> 'status' = 'paid'
     and customer = (select customer_id from card_accounts where user_id = $1)`,
      [who.id],
    )
  ).length > 0

/** Without these nothing is there to go wrong. */
const OFTEN = ['buys', 'buys', 'buys', 'buys', 'buys', 'changes', 'changes', 'renews', 'waits', 'waits', 'isNotPaidBack']

/** What was paid by coin, and is in the database that counts. */
let coinCents = new Map<string, number>()
/** All that the provider has told. */
const heard: string[] = []
let copy: { restore: () => Promise<void>; coins: Map<string, number>; heard: number } | undefined
const byCoin = async ({ id }: Person) =>
  (
    await world.sql("select coalesce(sum(amount_cents), 0) as cents from ledger_entries where user_id = $1 and source = 'coin'", [
      id,
    ])
  )[0]

/** Lets some calls of the provider go wrong meanwhile. */
async function inTrouble<T>(work: () => Promise<T>): Promise<T> {
  sandbox.trouble = (): Trouble => (next(30) === 0 ? oneOf(['refused', 'lost']) : undefined)
  try {
    return await work()
  } finally {
    sandbox.trouble = () => undefined
  }
}

async function tries(who: Person, ...call: Parameters<Person['tries']>) {
  const answer = await inTrouble(() => who.tries(...call))
  if (answer.code !== 'card_unavailable') expect(answer.status, answer.code).toBeLessThan(500)
  return answer
}
const hasPortal = async (who: Person) => (await who.tries(paymentsApi.portal, {})).status === 200

test('after any payments, confirmations, declines, changes, refunds, disputes, grants, crashes, copies and days the ledger has what the provider and the chain have, to the cent', async () => {
  const people = [await world.person('one', 'free'), await world.person('two', 'free')]
  const { post } = sandbox
  // A delivery that is not answered is repeated, as the provider does: the first attempt of some crashes before its transaction ends.
  sandbox.post = async ({ payload }) => {
    heard.push(payload)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: sandbox.webhookSecret })
    if (next(4) === 0) {
      world.env.fault = () => {
        throw new Error('crash')
      }
      await post({ payload, signature })
      delete world.env.fault
    }
    for (;;) {
      const status = await inTrouble(() => post({ payload, signature }))
      if (status === undefined || status < 400) return status
      expect([500, 503]).toContain(status)
    }
  }
  const names = [...Object.keys(verbs), ...OFTEN]
  for (let step = 0; step < STEPS; step++) {
    const who = people[next(people.length)]
    const name = names[next(names.length)] ?? ''
    // What is delivered beside an act would share its trouble.
    Object.assign(sandbox.delivery, { copies: 1 + next(3), isReversed: next(2) === 0, isHeld: true })
    if (who) await verbs[name]?.(who)
    await sandbox.deliver()
    for (const each of people) {
      if (name === 'waits' || name === 'isRestored') await each.returns()
      expect(await inLedger(each), `step ${step}: ${name}`).toBe(await atProvider(each))
      expect(Number((await byCoin(each))?.['cents']), `step ${step}: ${name}`).toBe(coinCents.get(each.id) ?? 0)
    }
    await holds()
  }
  world.env.clock = clock
  await passes(1)
  // A copy that was put back is behind in what no event tells again.
  expect((await checkProvider(world.env, 'events')).differences).toEqual([])
}, 1_200_000)
