import type { OfferLimits } from '../../../contract/money/benefits.ts'
import { compareSizes, limitsOf, limitsOfPackage } from '../../../contract/money/offerLimits.ts'
import { type BillingPeriod, type Package, paymentsApi, type Subscription } from '../../../contract/money/payments.ts'
import { PLANS, type Tier } from '../../../contract/money/plans.ts'
import type { Consent } from '../../../contract/money/terms.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { shared } from '../../ui/shared.ts'
import { keepCheckout } from './askedIn.ts'
import { mayLeaveFor } from './leaving.ts'
import { plansStore } from './store.ts'

/** A plan as it is offered. */
export interface Offered extends OfferLimits {
  key: string
  tier: SoldTier
  packageId: string | undefined
  name: string
  /** US cents; null for a period that it is not sold for. One of the two is a price. */
  monthlyCents: number | null
  yearlyCents: number | null
}

/** For other folders. */
export const shownPlans: Pick<typeof plansStore, 'getState' | 'getInitialState' | 'subscribe'> = plansStore

/** The plans that a card buys. */
export const soldTier = paymentsApi.preview.input.shape.tier
type SoldTier = ReturnType<typeof soldTier.parse>

/** Lists what is for sale: the packages in their order, then the Test plan where cards are taken. */
export function offered(packages: readonly Package[], cardProvider: Subscription['cardProvider']): Offered[] {
  const sold = packages.flatMap((each) => {
    const tier = soldTier.safeParse(each.tier).data
    const { id, name } = each
    const limits = limitsOfPackage(each)
    const [monthlyCents, yearlyCents] = [each.monthlyPrice || null, each.yearlyPrice || null]
    if (!tier || limits.messagesPerMonth === 0 || (monthlyCents ?? yearlyCents) === null) return []
    return [{ key: id, tier, packageId: id, name, monthlyCents, yearlyCents, ...limits }]
  })
  const { name, monthlyCents } = PLANS.test
  if (cardProvider === 'off' || monthlyCents === null || sold.some(({ tier }) => PLANS[tier] === PLANS.test)) return sold
  const test = {
    key: 'test',
    tier: 'test' as const,
    packageId: undefined,
    name,
    monthlyCents,
    yearlyCents: null,
    ...limitsOf('test'),
  }
  return [...sold, test]
}

/** The Master plan as it is for sale; undefined if it has no price here, or no card is taken. */
export function masterOffer({
  masterPrice,
  cardProvider,
}: Pick<Subscription, 'masterPrice' | 'cardProvider'>): Offered | undefined {
  if (cardProvider === 'off' || (masterPrice.monthlyCents ?? masterPrice.yearlyCents) === null) return undefined
  return { key: 'master', tier: 'master', packageId: undefined, name: PLANS.master.name, ...masterPrice, ...limitsOf('master') }
}

/** What an offer costs, in US cents: for the wanted period, or for the other one if it is not sold for that. */
export function priceFor(
  { monthlyCents, yearlyCents }: Pick<Offered, 'monthlyCents' | 'yearlyCents'>,
  wanted: BillingPeriod,
): { period: BillingPeriod; cents: number } {
  const isYearly = monthlyCents === null || (wanted === 'yearly' && yearlyCents !== null)
  return isYearly ? { period: 'yearly', cents: yearlyCents ?? 0 } : { period: 'monthly', cents: monthlyCents }
}

/** Sorts the cheaper offer first. */
export const byPrice = (one: Offered, other: Offered): number => monthOf(one) - monthOf(other)

const monthOf = ({ monthlyCents, yearlyCents }: Offered): number => monthlyCents ?? (yearlyCents ?? 0) / 12

/**
 * What an offer is to the account: `own` what is billed, or what it has; `included` in a larger plan that it has without a card, where
 * there is nothing to change; `open` what it can choose.
 */
export function relationTo(
  { tier, packageId = null, ...limits }: OfferLimits & Pick<Offered, 'tier'> & { packageId?: string | null | undefined },
  period: BillingPeriod,
  { tier: current, packageId: currentId, card }: Pick<Subscription, 'tier' | 'packageId' | 'card'>,
  packages: readonly Package[],
): 'own' | 'included' | 'open' {
  if (card) return card.tier === tier && card.packageId === packageId && card.billingPeriod === period ? 'own' : 'open'
  if (current === tier && currentId === packageId) return 'own'
  const known = packages.find(({ id }) => id === currentId)
  if (current === tier && currentId !== null && !known) return 'open'
  const has = { tier: current, limits: known ? limitsOfPackage(known) : limitsOf(current) }
  const order = compareSizes(has, { tier, limits })
  if (order === 0 && currentId === null) return 'own'
  return order < 0 ? 'open' : 'included'
}

/** What a year costs less than twelve months, in US cents; null if it does not. */
export const savedCents = ({ monthlyCents, yearlyCents }: Offered): number | null =>
  monthlyCents !== null && yearlyCents !== null && monthlyCents * 12 > yearlyCents ? monthlyCents * 12 - yearlyCents : null

/** Counts the questions for the subscription, and names the one whose answer is shown: that of an earlier one is older. */
let reads = 0
let shownRead = 0

function showSubscription(read: number, subscription: Subscription): void {
  if (read < shownRead) return
  shownRead = read
  plansStore.setState({ subscription })
}

/** Reads plan, packages and usage. A failure is kept beside what was read before. */
export async function readPlans(env: Env): Promise<void> {
  reads += 1
  const read = reads
  try {
    const [subscription, packages, usage] = await Promise.all([
      env.api(paymentsApi.subscription, {}),
      env.api(paymentsApi.packages, {}),
      env.api(paymentsApi.usage, {}),
    ])
    showSubscription(read, subscription)
    plansStore.setState({ packages, usage, failure: null })
  } catch (error) {
    if (read >= shownRead) plansStore.setState({ failure: error instanceof Error ? error.message : String(error) })
  }
}

/** The payment’s event may be lost. */
export async function settlePlan(env: Env): Promise<void> {
  await env.api(paymentsApi.settle, {}).catch(() => undefined)
  await readSubscription(env)
}

/** Reads the subscription alone. Without an answer what was known stays. */
export async function readSubscription(env: Env): Promise<void> {
  reads += 1
  const read = reads
  const subscription = await env.api(paymentsApi.subscription, {}).catch(() => undefined)
  if (subscription) showSubscription(read, subscription)
}

/** Reads the subscription now, and whenever the server tells that something of the account has changed. */
export const followSubscription = shared((env: Env): (() => void) => {
  const read = () => void readSubscription(env)
  read()
  return env.socket.on('account', read)
})

/** Reads the usage alone, which is read every minute. */
export async function readUsage(env: Env): Promise<void> {
  const usage = await env.api(paymentsApi.usage, {}).catch(() => undefined)
  if (usage) plansStore.setState({ usage })
}

interface Wanted {
  tier: SoldTier | 'free'
  packageId?: string | undefined
  billingPeriod: BillingPeriod
  consent?: Consent | undefined
}

/** A payment whose form is shown in a frame. */
export interface FramePayment {
  frameUrl: string
  /** Opens the form. */
  clientSecret: string
  wanted: Wanted
}

/** The browser has left for another page within this time, or the person has stopped it. */
const LEAVE_MS = 20_000

/** Goes to a page of the provider. Settles once the person is back, so that meanwhile nothing is pressed twice, or stays. */
export async function leaveFor(url: string): Promise<void> {
  if (!(await mayLeaveFor(url))) return
  location.assign(url)
  await new Promise<void>((resolve) => {
    addEventListener('pageshow', () => resolve(), { once: true })
    setTimeout(resolve, LEAVE_MS)
  })
}

/**
 * Asks for another plan. Where a payment is needed it goes to the provider’s page, or returns what opens its form in a frame; undefined
 * where nothing is left to do here. Throws ApiError.
 */
export async function changePlan(env: Env, wanted: Wanted, embedded = true): Promise<FramePayment | undefined> {
  const { tier, packageId, billingPeriod, consent } = wanted
  // A frame of the provider would open a connection beside Tor before anybody is asked.
  const isFramed = embedded && !isOnionOrigin()
  const choice = { tier, billingPeriod, embedded: isFramed, ...(packageId !== undefined && { packageId }) }
  const asked = env.api(paymentsApi.upgrade, { ...choice, ...(consent && { consent }) })
  const { checkoutUrl, clientSecret, frameUrl } = await asked.catch((error: unknown) => readTerms(env, error))
  if (isFramed && clientSecret !== undefined && frameUrl !== undefined) return { clientSecret, frameUrl, wanted }
  if (checkoutUrl === undefined) await readPlans(env)
  else {
    keepCheckout()
    await leaveFor(checkoutUrl)
  }
  return undefined
}

/** Reads the terms that a refusal is about, which another tab may have shown before. Throws the failure. */
export async function readTerms(env: Env, failure: unknown): Promise<never> {
  if (isRefused(failure, 'terms_required') || isRefused(failure, 'terms_changed')) await readSubscription(env)
  throw failure
}

/** What the change costs now, in US cents. Throws ApiError. */
export async function previewPlan(env: Env, wanted: Wanted & { tier: SoldTier }): Promise<number> {
  const { tier, packageId, billingPeriod } = wanted
  const { dueNowCents } = await env.api(paymentsApi.preview, {
    ...{ tier, billingPeriod },
    ...(packageId !== undefined && { packageId }),
  })
  return dueNowCents
}

/** Undoes a cancellation. Throws ApiError. */
export async function keepPlan(env: Env): Promise<void> {
  await env.api(paymentsApi.keep, {})
  await readPlans(env)
}

/** Pays the plan back and ends it. Returns the US cents. Throws ApiError. */
export async function refundPlan(env: Env): Promise<number> {
  const { refundedCents } = await env.api(paymentsApi.refund, {})
  await readPlans(env)
  return refundedCents
}

/** Returns the address of the provider’s page for card and invoices. Throws ApiError. */
export const portalUrl = async (env: Env): Promise<string> => (await env.api(paymentsApi.portal, {})).url

/** Compares what is shown with what the server says, after a return from the provider: true once the account has a paid plan. */
export const isPaidPlan = (tier: Tier): boolean => PLANS[tier].rights.send
