import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { COIN_LIMITS } from '../../../contract/money/coinlimits.ts'
import {
  COIN_REQUEST_SECONDS,
  type CoinPayment,
  coinPlanShape,
  type coinsApi,
  currencyShape,
} from '../../../contract/money/coins.ts'
import type { Tier } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { gives } from '../ledger/ledger.ts'
import { noteConsent, requireTerms } from '../payments/consent.ts'
import { closeCheckout, renewalOf } from '../payments/endRenewal.ts'
import { findOffer, type Offer } from '../payments/offers.ts'
import { tierOf } from '../plans/plans.ts'
import { addressFor } from './addresses.ts'
import { unitsFor, usdOf } from './amounts.ts'
import { asWritten, paysAddress } from './namedPayment.ts'
import { shownPayment } from './shownPayment.ts'
import * as store from './store.ts'
import { lookIfAnswered } from './watchPayments.ts'

/** A shorter request is not shown again. */
const REUSED_MS = 10 * 60_000
/** Within this time the page gets what is known. */
const LOOK_MS = 25_000
const SOLD_MAX = 50

type Wanted = z.output<typeof coinsApi.createPayment.input>
type CoinPlan = z.output<typeof coinPlanShape>

interface Sold {
  tier: Tier
  cents: number
  /** null for a built-in plan. */
  packageId: string | null
}

export async function currencies(env: Env, { id }: SignedInUser) {
  const { coins, db } = env
  const chosen = await store.readChosen(db, id)
  const preferred = currencyShape.safeParse(chosen?.preferred).data ?? 'bitcoin'
  const packages = coins.currencies.length > 0 ? await listOffers(env) : []
  return { currencies: [...coins.currencies], preferred, walletAddress: chosen?.walletAddress ?? null, packages }
}

export async function prices({ coins }: Env) {
  const { rates, at, isStale } = await coins.prices.shown()
  const usd = { bitcoin: usdOf(rates.bitcoin), ethereum: usdOf(rates.ethereum), usdc: usdOf(rates.usdc) }
  return { prices: usd, timestamp: at.toISOString(), isStale }
}

/** Returns a waiting request of the same kind, or a new one at today's price. */
export async function createPayment(env: Env, user: SignedInUser, wanted: Wanted): Promise<CoinPayment> {
  const { coins, db, clock } = env
  const { currency, billingPeriod, walletAddress = null } = wanted
  const chain = coins.chainOf(currency)
  if (!chain) throw new Refusal('currency_unavailable')
  const sold = await findSold(env, wanted)
  await requireGain(env, user, { ...sold, billingPeriod })
  requireTerms(env, wanted.consent)
  requireConsent(await renewalOf(env, user.id), wanted)
  const same = await store.findSame(
    db,
    { ...wanted, packageId: sold.packageId, tier: sold.tier, userId: user.id },
    new Date(clock().getTime() + REUSED_MS),
  )
  if (same && same.usdCents === sold.cents) {
    requireConsent(await closeCheckout(env, user.id), wanted)
    if (wanted.endsCard) await store.updatePayment(db, same.id, { endsCard: 'asked' })
    await db.transaction((tx) => noteConsent(env, tx, { ...boughtBy(same), billingPeriod }))
    return shownPayment(coins, same)
  }
  const rate = await coins.prices.quoted(currency)
  // An unpaid address leaves a gap in the operator's wallet.
  await requireRoom(db, user.id)
  const { address, index, height, again } = await addressFor(env, chain, currency, user.id)
  requireConsent(await closeCheckout(env, user.id), wanted)
  const now = clock()
  const request = {
    ...{ userId: user.id, packageId: sold.packageId, tier: sold.tier, billingPeriod, currency },
    ...{ amount: unitsFor(currency, sold.cents, rate).toString(), usdCents: sold.cents, rate: rate.toString() },
    ...{ endsCard: wanted.endsCard ? ('asked' as const) : null, walletAddress, scannedHeight: height },
    ...{ paymentAddress: address, addressIndex: index, createdAt: now, nextLookAt: now },
    expiresAt: new Date(now.getTime() + COIN_REQUEST_SECONDS * 1000),
  }
  const payment = await db.transaction(async (tx) => {
    await store.noteChosen(tx, user.id, currency, walletAddress)
    await requireRoom(tx, user.id)
    const made = again
      ? await store.askAgain(tx, again, request)
      : await store.insertPayment(tx, { id: randomUUID(), ...request })
    if (made) await noteConsent(env, tx, { ...boughtBy(made), billingPeriod })
    return made
  })
  // Another tab has taken the address.
  if (!payment) return await createPayment(env, user, wanted)
  return shownPayment(coins, payment)
}

const boughtBy = ({ id, userId, tier, packageId, usdCents }: store.Payment) => ({
  ...{ purchase: `coin:${id}`, userId, tier: tierOf(tier), packageId, amountCents: usdCents },
})

/** Throws Refusal `nothing_to_gain`. */
async function requireGain(
  { db, clock }: Env,
  { id: userId }: SignedInUser,
  { tier, packageId, billingPeriod }: Pick<Sold, 'tier' | 'packageId'> & Pick<Wanted, 'billingPeriod'>,
): Promise<void> {
  if (!(await gives(db, clock(), { userId, tier, packageId, billingPeriod }))) throw new Refusal('nothing_to_gain')
}

/** Throws Refusal `card_renews`. */
function requireConsent({ renews }: { renews: boolean }, { endsCard = false }: Wanted): void {
  if (renews && !endsCard) throw new Refusal('card_renews')
}

/** Throws Refusal `too_many_coin_payments`. */
async function requireRoom(db: Queryable, userId: string): Promise<void> {
  if ((await store.countOpen(db, userId)) >= COIN_LIMITS.coinPaymentsOpen) throw new Refusal('too_many_coin_payments')
}

/** Throws Refusal `package_not_sold`. */
async function findSold(env: Env, { packageId, billingPeriod }: Wanted): Promise<Sold> {
  const plan = coinPlanShape.safeParse(packageId).data
  const offer = plan && (await findPlan(env, plan, billingPeriod))
  if (offer) return { tier: offer.tier, cents: offer.amountCents, packageId: offer.packageId }
  const sold = plan ? undefined : await store.findSold(env.db, packageId, billingPeriod)
  if (!sold) throw new Refusal('package_not_sold')
  return { ...sold, tier: tierOf(sold.tier), packageId }
}

async function findPlan(env: Env, tier: CoinPlan, billingPeriod: Wanted['billingPeriod']): Promise<Offer | undefined> {
  try {
    return await findOffer(env, { tier, billingPeriod })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'plan_not_sold') return undefined
    throw error
  }
}

async function listOffers(env: Env) {
  const packages = await store.listSold(env.db, SOLD_MAX)
  const plans = (await Promise.all(coinPlanShape.options.map((plan) => offerOf(env, plan)))).flat()
  return [...packages.slice(0, SOLD_MAX - plans.length), ...plans]
}

async function offerOf(env: Env, plan: CoinPlan) {
  const [monthly, yearly] = await Promise.all([findPlan(env, plan, 'monthly'), findPlan(env, plan, 'yearly')])
  const offer = monthly ?? yearly
  if (!offer || offer.packageId !== null) return []
  const prices = { monthlyPrice: monthly?.amountCents ?? null, yearlyPrice: yearly?.amountCents ?? null }
  return [{ id: plan, name: offer.name, ...prices }]
}

export async function listPayments({ coins, db, clock }: Env, { id }: SignedInUser): Promise<CoinPayment[]> {
  const before = new Date(clock().getTime() - COIN_LIMITS.coinPaymentDays * 24 * 60 * 60_000)
  return (await store.listOwn(db, id, before, 20)).map((payment) => shownPayment(coins, payment))
}

/** Keeps what was known while the node is silent. */
export async function checkPayment(env: Env, user: SignedInUser, paymentId: string): Promise<CoinPayment> {
  const payment = await store.findOwn(env.db, user.id, paymentId)
  if (!payment) throw new Refusal('not_found')
  const sinceMs = env.clock().getTime() - (payment.lookedAt?.getTime() ?? 0)
  if (Math.abs(sinceMs) >= LOOK_MS) await lookIfAnswered(env, payment)
  return shownPayment(env.coins, (await store.findOwn(env.db, user.id, paymentId)) ?? payment)
}

/** Looks at once and every 30 seconds for 30 minutes. Another address is refused; an unknown transaction changes nothing. */
export async function submitTransaction(
  env: Env,
  user: SignedInUser,
  { paymentId, paymentAddress, transactionHash }: z.output<typeof coinsApi.submitTransaction.input>,
): Promise<CoinPayment> {
  const payment = await store.findOwn(env.db, user.id, paymentId)
  if (!payment) throw new Refusal('not_found')
  if (payment.paymentAddress.toLowerCase() !== paymentAddress.toLowerCase()) throw new Refusal('wrong_address')
  const chain = env.coins.chainOf(payment.currency)
  if (!chain) throw new Refusal('currency_unavailable')
  const named = asWritten(payment.currency, transactionHash)
  if ((await paysAddress(chain, payment.paymentAddress, named)) === false) throw new Refusal('unrelated_transaction')
  const now = env.clock()
  await store.updatePayment(env.db, payment.id, { namedTransaction: named, namedAt: now, nextLookAt: now })
  await lookIfAnswered(env, { ...payment, namedTransaction: named, namedAt: now })
  return shownPayment(env.coins, (await store.findOwn(env.db, user.id, paymentId)) ?? payment)
}
