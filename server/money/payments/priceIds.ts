import type Stripe from 'stripe'
import type { BillingPeriod } from '../../../contract/money/payments.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { asked, isMissing } from './card.ts'

export interface PriceTerms {
  priceId: string
  billingPeriod: BillingPeriod
  amountCents: number
}

export interface PriceField extends PriceTerms {
  field: string
}

const UNCHECKED = 'The card provider does not answer, so the price ID could not be checked. Nothing was saved'

/** Throws Refusal. */
export async function requirePrices(env: Pick<Env, 'card'>, fields: PriceField[]): Promise<void> {
  if (fields.length === 0) return
  const wrong = await Promise.all(
    fields.map(async ({ field, ...terms }) => ({ path: field, message: await whyRefused(env, terms) })),
  )
  const details = wrong.filter(({ message }) => message !== undefined)
  const text = details[0]?.message
  if (text !== undefined) throw new Refusal('wrong_price_id', { text, details })
}

async function whyRefused({ card }: Pick<Env, 'card'>, terms: PriceTerms): Promise<string | undefined> {
  if (card.provider === 'off') return 'Cards are off here, so no price ID can be checked. Leave it empty'
  try {
    return await wrongOf(await card.client(), terms)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'card_unavailable')
      throw new Refusal('card_unavailable', { text: UNCHECKED, retryAfterSeconds: 5 })
    throw error
  }
}

/** Throws Refusal `plan_not_sold`. */
export async function requireSaleable(
  { card }: Pick<Env, 'card'>,
  { priceId, billingPeriod, amountCents }: Omit<PriceTerms, 'priceId'> & { priceId: string | null },
): Promise<void> {
  if (priceId === null) return
  const wrong = await wrongOf(await card.client(), { priceId, billingPeriod, amountCents })
  if (wrong === undefined) return
  card.warn({ priceId, wrong }, 'a package is not sold by card: its price at the card provider does not fit')
  throw new Refusal('plan_not_sold')
}

async function wrongOf(client: Stripe, { priceId, billingPeriod, amountCents }: PriceTerms): Promise<string | undefined> {
  const price = await findPrice(client, priceId)
  const interval = billingPeriod === 'yearly' ? 'year' : 'month'
  if (!price) return 'The card provider knows no price with this ID'
  const { recurring } = price
  if (!price.active) return 'This price is archived at the card provider'
  if (price.currency !== 'usd') return `This price is in ${price.currency.toUpperCase()}. Prices are in US dollars`
  if (!recurring || recurring.usage_type === 'metered') return 'This price is not a subscription at a fixed amount'
  if (recurring.interval !== interval || recurring.interval_count !== 1) return `This price is not paid once a ${interval}`
  if (price.unit_amount === null || price.transform_quantity) return 'This price is not a subscription at a fixed amount'
  if (price.unit_amount === amountCents) return undefined
  return `This price is ${inDollars(price.unit_amount)}, the package’s is ${inDollars(amountCents)}`
}

const inDollars = (cents: number): string => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })

export async function findPrice(client: Stripe, id: string): Promise<Stripe.Price | undefined> {
  try {
    return await asked(client.prices.retrieve(id))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
