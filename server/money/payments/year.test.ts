import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { coinsApi } from '../../../contract/money/coins.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { compareTiers, type Tier, tierShape } from '../../../contract/money/plans.ts'
import type { Customer, Dispute, Invoice, Refund, Subscription } from '../../sandbox/objects.ts'
import { BANK, CARD, cardsOf } from '../../testing/cards.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { takeCopy } from '../../testing/restored.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { checkProvider } from '../check/checks.ts'
import { EARLY_MS } from '../ledger/standing.ts'

// `npm run test:walks` has two hundred customers for a year.
const isLong = process.env['WALK_STEPS'] !== undefined
const [CUSTOMERS, WEEKS] = isLong ? [200, 52] : [14, 18]
let seed = Number(process.env['WALK_SEED'] ?? 4_711) % 2_147_483_647
const next = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const oneOf = <T>(list: readonly [T, ...T[]]): T => list[next(list.length)] ?? list[0]

let known: World | undefined
const bitcoin = await startBitcoin(() => known?.env.clock() ?? new Date(), accountKeys(13).bitcoin)
const world = await startWorld({ variables: { ...bitcoin.variables, ...(await startPriceSources()).variables } })
known = world
const { sandbox, pays, passes, holds, atPortal, disputes, failsRefunds } = cardsOf(world)

const PREMIUM = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
let coinCents = new Map<string, number>()
const DAY_MS = 24 * 60 * 60 * 1000

/** What people, banks and the provider do in a week, and how often in a thousand weeks; in a short year it is more. */
const acts: [often: number, act: (who: Person) => Promise<unknown>][] = [
  [
    120,
    async (who) => {
      const billingPeriod = oneOf(['monthly', 'monthly', 'monthly', 'yearly'] as const)
      const wish = { planType: oneOf(['test', 'premium'] as const), billingPeriod }
      const { data } = paymentsApi.checkout.output.safeParse((await who.tries(paymentsApi.checkout, wish)).body)
      if (data)
        await pays(
          data.url,
          oneOf([CARD.good, CARD.good, CARD.good, CARD.failsLater, CARD.asksAlways, CARD.declined]),
          'confirmed',
        )
    },
  ],
  [50, (who) => upgrades(who, { tier: 'premium', billingPeriod: oneOf(['monthly', 'monthly', 'yearly'] as const) })],
  [15, (who) => upgrades(who, { tier: 'test' })],
  [20, (who) => upgrades(who, { tier: 'free' })],
  [10, (who) => who.tries(paymentsApi.keep, {})],
  [10, (who) => who.tries(paymentsApi.refund, {})],
  [10, (who) => failsRefunds(who)],
  [60, (who) => atPortalIfAny(who, { act: 'card', card: oneOf([CARD.good, CARD.good, CARD.declined, BANK.pays, BANK.refuses]) })],
  [10, (who) => atPortalIfAny(who, { act: 'cancel' })],
  [10, isDisputed],
  [30, paysByCoin],
]

async function upgrades(who: Person, wish: Record<string, unknown>) {
  const { body } = await who.tries(paymentsApi.upgrade, wish)
  const url = paymentsApi.upgrade.output.safeParse(body).data?.checkoutUrl
  if (url !== undefined) await pays(url, oneOf([CARD.good, CARD.asksAlways]), oneOf(['confirmed', 'failed']))
}

const atPortalIfAny = async (who: Person, form: Record<string, string>) =>
  (await who.tries(paymentsApi.portal, {})).status === 200 ? await atPortal(who, form) : undefined

async function isDisputed(who: Person) {
  const { invoices, disputes: known } = (await readBooks()).get(who.id) ?? {}
  const intent = invoices?.findLast(({ status }) => status === 'paid')?.payments.data[0]?.payment.payment_intent
  if (!intent || known?.some((one) => one.payment_intent === intent)) return
  await disputes(who)
  if (next(2) === 0) await disputes(who, oneOf(['won', 'lost']))
}

async function paysByCoin(who: Person) {
  const wish = { packageId: PREMIUM, currency: 'bitcoin', billingPeriod: 'monthly', endsCard: true } as const
  const { data } = coinsApi.createPayment.output.safeParse((await who.tries(coinsApi.createPayment, wish)).body)
  if (!data) return
  await bitcoin.pay(data.paymentAddress, BigInt(data.amount.replace('.', '')))
  await bitcoin.mine(6)
  for (let look = 0; look < 2; look++) {
    world.passes(61)
    await world.jobs.runDue()
  }
  coinCents.set(who.id, (coinCents.get(who.id) ?? 0) + 100_000)
}

interface Account {
  invoices: Invoice[]
  refunds: Refund[]
  disputes: Dispute[]
  subscriptions: Subscription[]
}

/** The provider's own books, by the account. */
async function readBooks(): Promise<Map<string, Account>> {
  const rows = await world.sql("select kind, customer, body from sandbox_objects where kind <> 'key' order by place")
  const of = <T>(kind: string, customer: string) =>
    rows.flatMap((row) => (row['kind'] === kind && row['customer'] === customer ? [row['body'] as T] : []))
  const customers = rows.flatMap(({ kind, body }) => (kind === 'customer' ? [body as Customer] : []))
  return new Map(
    customers.map(({ id, metadata }) => [
      metadata['userId'] ?? '',
      {
        ...{ invoices: of<Invoice>('invoice', id), refunds: of<Refund>('refund', id) },
        ...{ disputes: of<Dispute>('dispute', id), subscriptions: of<Subscription>('subscription', id) },
      },
    ]),
  )
}

const TAKEN = ['needs_response', 'lost']
const sumOf = (amounts: number[]): number => amounts.reduce((sum, each) => sum + each, 0)

const centsOf = ({ invoices, refunds, disputes: taken }: Account): number =>
  sumOf(invoices.map(({ amount_paid: cents }) => cents)) -
  sumOf(refunds.map(({ status, amount }) => (status === 'failed' ? 0 : amount))) -
  sumOf(taken.map(({ status, amount }) => (TAKEN.includes(status) ? amount : 0)))

interface Period {
  tier: Tier
  startMs: number
  endMs: number
}

/** What the provider was paid for and has not given back. */
function periodsOf({ invoices, refunds, disputes: taken }: Account): Period[] {
  return invoices.flatMap(({ status, amount_paid: paid, payments, lines, parent }) => {
    const intent = payments.data[0]?.payment.payment_intent
    const [line] = lines.data
    const isOf = ({ payment_intent }: Refund | Dispute) => payment_intent === intent
    const back = sumOf(refunds.filter((one) => isOf(one) && one.status !== 'failed').map(({ amount }) => amount))
    if (status !== 'paid' || !line || (back > 0 && back >= paid)) return []
    if (taken.some((one) => isOf(one) && TAKEN.includes(one.status))) return []
    const metadata = parent?.subscription_details.metadata ?? {}
    const named = metadata[line.pricing.price_details.price.slice(0, 40)]?.split(' ')[0]
    const tier = tierShape.parse(named ?? metadata['tier'])
    return [{ tier, startMs: line.period.start * 1000, endMs: line.period.end * 1000 }]
  })
}

/** The plan that is paid at that time, by the books of the provider and what came by coin. */
function planOf(account: Account | undefined, coins: Period[], nowMs: number): Tier {
  const cards = account ? periodsOf(account) : []
  const renews = account?.subscriptions.some(({ status, cancel_at: end }) => status !== 'canceled' && end === null)
  const lastMs = Math.max(...cards.map(({ endMs }) => endMs))
  const graceMs = renews ? PLAN_LIMITS.graceDays * DAY_MS : 0
  const lasting = cards.map((one) => (one.endMs === lastMs ? { ...one, endMs: lastMs + graceMs } : one))
  const running = [...lasting, ...coins].filter(({ startMs, endMs }) => startMs <= nowMs + EARLY_MS && nowMs < endMs)
  return running.map(({ tier }) => tier).sort((one, other) => compareTiers(other, one))[0] ?? 'free'
}

/** Every cent and every plan. */
async function agrees(people: Person[], when: string): Promise<void> {
  const [books, now] = [await readBooks(), world.env.clock()]
  const cents = await world.sql(
    `select user_id as id, source, sum(case when kind in ('payment', 'refund_failed', 'dispute_won') then amount_cents
       when kind in ('refund', 'dispute') then -amount_cents else 0 end)::float8 as cents from ledger_entries group by 1, 2`,
  )
  const inLedger = ({ id }: Person, source: string) =>
    cents.find((row) => row['id'] === id && row['source'] === source)?.['cents'] ?? 0
  const coins = await world.sql("select * from ledger_entries where source = 'coin' and kind = 'payment'")
  const plans = await world.sql(
    `select id, case when subscription_end_date <= $1 then 'free' else subscription_tier end as tier from users`,
    [now],
  )
  const expected = people.map((who) => {
    const account = books.get(who.id)
    const periods = coins.flatMap((row): Period[] =>
      row['user_id'] === who.id
        ? [{ tier: tierShape.parse(row['tier']), startMs: Number(row['starts_at']), endMs: Number(row['ends_at']) }]
        : [],
    )
    const tier = planOf(account, periods, now.getTime())
    return [who.username, account ? centsOf(account) : 0, coinCents.get(who.id) ?? 0, tier]
  })
  const found = people.map((who) => [
    ...[who.username, inLedger(who, 'card'), inLedger(who, 'coin')],
    plans.find((row) => row['id'] === who.id)?.['tier'],
  ])
  expect(found, when).toEqual(expected)
  await holds()
  const { differences } = await checkProvider(world.env, 'nothing')
  // Accounts that came after a copy are gone with it, and what they bought is for a person.
  expect(
    differences.filter((line) => !line.includes(' is of no account here')),
    when,
  ).toEqual([])
}

/** A tenth of what can be made up for is lost; the rest is repeated until it is answered. */
function deliverBadly(heard: string[]): void {
  const { post } = sandbox
  sandbox.post = async ({ payload }) => {
    const isMadeUpFor = /"type":"(customer\.subscription|invoice|checkout)/.test(payload)
    heard.push(payload)
    if (isMadeUpFor && next(10) === 0) return undefined
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: sandbox.webhookSecret })
    const status = await post({ payload, signature })
    expect(status).toBe(200)
    return status
  }
}

test('after a year of customers every cent is where the provider and the chain have it, and who has a plan is who has paid for it', async () => {
  const people: Person[] = []
  const heard: string[] = []
  deliverBadly(heard)
  let copy: { restore: () => Promise<void>; coins: Map<string, number>; heard: number; people: number } | undefined
  for (let week = 0; week < WEEKS; week++) {
    const coming = Math.min(CUSTOMERS - people.length, Math.ceil((CUSTOMERS * 2) / WEEKS))
    for (let count = 0; count < coming; count++) people.push(await world.person('customer', 'free'))
    Object.assign(sandbox.delivery, { copies: 1 + next(2), isReversed: next(2) === 0, isWhole: next(4) === 0 })
    for (const who of people) {
      let roll = next(isLong ? 1000 : 400)
      const chosen = acts.find(([often]) => {
        roll -= often
        return roll < 0
      })
      if (!chosen) continue
      await who.returns()
      await chosen[1](who)
      await sandbox.deliver()
    }
    if (week % 13 === 6)
      copy = { restore: await takeCopy(world), coins: new Map(coinCents), heard: heard.length, people: people.length }
    // The renewals, then what was lost of them.
    await passes(7)
    await passes(0.1)
    if (copy && week % 13 === 8) {
      const since = heard.splice(copy.heard)
      await copy.restore()
      coinCents = copy.coins
      // Who came since has no account.
      people.splice(copy.people)
      // What the operator lets the provider send again.
      for (const payload of since) await sandbox.post({ payload, signature: '' })
      copy = undefined
      await passes(0.1)
      await passes(0.1)
    }
    if (!isLong || week % 4 === 3) await agrees(people, `week ${week}`)
  }
  await agrees(people, 'the end')
}, 3_600_000)
