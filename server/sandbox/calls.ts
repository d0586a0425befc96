import { endSubscription } from './bills.ts'
import { changePrice, prorated, voidInvoice } from './changes.ts'
import {
  type Customer,
  type Dispute,
  type Invoice,
  NEEDS_3DS,
  newId,
  type Price,
  type Refund,
  SandboxError,
  type Session,
  type Subscription,
} from './objects.ts'
import type { Desk } from './sandbox.ts'
import type { Answers, Params } from './sdk.ts'
import { chargeOf } from './whole.ts'

/** The form of a request: names in brackets nest. */
export interface Form {
  [name: string]: string | Form | undefined
}

export type Call = (desk: Desk, form: Form, id: string) => Promise<object>

type Reads<Name extends string> = { [Each in Name]?: string | Form | undefined }

type Named<Sent> = { [Name in keyof Sent]?: string | Form | undefined }
type Calls = {
  [Name in keyof Answers]: (
    desk: Desk,
    input: Named<Name extends keyof Params ? Params[Name] : Record<never, never>>,
    id: string,
  ) => Promise<object>
}

/** A page of all, the newest first. */
function pageOf<T extends { id: string; created?: number }>(all: T[], input: Reads<'created' | 'starting_after' | 'limit'>) {
  const [since, after] = [Number(text(form(input['created'])['gte'])), text(input['starting_after'])]
  const wanted = all.filter(({ created }) => created === undefined || created >= since).reverse()
  const rest = wanted.slice(wanted.findIndex(({ id }) => id === after) + 1)
  const limit = Number(text(input['limit']) || 10)
  return { object: 'list' as const, has_more: rest.length > limit, url: '/', data: rest.slice(0, limit) }
}

const text = (value: string | Form | undefined): string => (typeof value === 'string' ? value : '')
const form = (value: string | Form | undefined): Form => (typeof value === 'object' ? value : {})
const words = (value: string | Form | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(form(value)).map(([name, each]) => [name, text(each)]))
const listed = (value: string | Form | undefined): string[] | null => (value === undefined ? null : Object.values(words(value)))
const wrong = (message: string): never => {
  throw new SandboxError(400, 'invalid_request_error', message)
}

async function priceOf(desk: Desk, item: Form): Promise<Price> {
  if (item['price'] !== undefined) {
    const price = await desk.find<Price>(text(item['price']), 'price')
    return price.active ? price : wrong('The price specified is inactive. This field only accepts active prices.')
  }
  const amount = form(item['price_data'])
  return newPrice(amount, text(form(amount['product_data'])['name']))
}

function newPrice(amount: Reads<'unit_amount' | 'recurring'>, name: string): Price {
  const [cents, interval] = [Number(amount['unit_amount']), text(form(amount['recurring'])['interval'])]
  if (!Number.isSafeInteger(cents) || cents <= 0) return wrong('Invalid integer: unit_amount')
  if (interval !== 'month' && interval !== 'year') return wrong('Invalid recurring[interval]')
  const recurring: Price['recurring'] = { interval, interval_count: 1, usage_type: 'licensed' }
  const terms = { unit_amount: cents, currency: 'usd', recurring }
  return { id: newId('price'), object: 'price', active: true, lookup_key: null, ...terms, _name: name }
}

const hostedAt = (id: string, input: Reads<'success_url' | 'cancel_url'>) => ({
  url: new URL(`/sandbox/checkout/${id}`, text(input['success_url'])).href,
  ...{ success_url: text(input['success_url']), cancel_url: text(input['cancel_url']) },
})

/** Named by a parameter, unlike in an address. */
async function customerOf(desk: Desk, input: Reads<'customer'>): Promise<Customer> {
  const id = text(input['customer'])
  try {
    return await desk.find<Customer>(id, 'customer')
  } catch {
    throw new SandboxError(400, 'invalid_request_error', `No such customer: '${id}'`, 'resource_missing', 'customer')
  }
}

/** The id of the customer whose things are listed; undefined for all. */
const listedOf = async (desk: Desk, input: Reads<'customer'>): Promise<string | undefined> =>
  input['customer'] === undefined ? undefined : (await customerOf(desk, input)).id

const firstItem = (value: string | Form | undefined): Form => form(form(value)['0'])

/** The calls that the adapter makes. Any other is refused by its name. */
export const CALLS = {
  'POST /v1/customers': async (desk, input) => {
    const customer: Customer = { id: newId('cus'), object: 'customer', metadata: words(input['metadata']), _card: '' }
    await desk.keep(customer)
    return customer
  },
  'GET /v1/customers/search': async (desk, input) => {
    const [, userId] = /^metadata\['userId'\]:'([0-9a-f-]+)'$/.exec(text(input['query'])) ?? []
    if (userId === undefined) return wrong('The sandbox searches customers by userId alone')
    const found = (await desk.list<Customer>('customer')).filter(({ metadata }) => metadata['userId'] === userId)
    return { ...pageOf(found, input), object: 'search_result' as const }
  },
  'GET /v1/customers/:id': (desk, _input, id) => desk.find<Customer>(id, 'customer'),
  'GET /v1/prices': async (desk, input) => {
    const keys = Object.values(form(input['lookup_keys']))
    const prices = await desk.list<Price>('price')
    return pageOf(
      prices.filter(({ active, lookup_key: key }) => active && key !== null && keys.includes(key)),
      input,
    )
  },
  'POST /v1/prices': async (desk, input) => {
    const price = newPrice(input, text(form(input['product_data'])['name']))
    price.lookup_key = text(input['lookup_key']) || null
    const known = (await desk.list<Price>('price')).find(({ lookup_key: key }) => key !== null && key === price.lookup_key)
    if (known && input['transfer_lookup_key'] !== 'true') return wrong('A price (`id`) already uses that lookup key.')
    if (known) await desk.keep({ ...known, lookup_key: null })
    await desk.keep(price)
    return price
  },
  'GET /v1/prices/:id': (desk, _input, id) => desk.find<Price>(id, 'price'),
  'POST /v1/checkout/sessions': async (desk, input) => {
    const isHosted = input['ui_mode'] === 'hosted_page'
    if ((!isHosted && input['ui_mode'] !== 'embedded_page') || input['mode'] !== 'subscription')
      return wrong('Invalid ui_mode or mode')
    if (!isHosted && (input['redirect_on_completion'] !== 'never' || input['success_url'] !== undefined))
      return wrong('An embedded checkout that never redirects takes no address')
    const customer = await customerOf(desk, input)
    const others = await desk.list<Subscription>('subscription', customer.id)
    if (others.some(({ currency, status }) => (currency || 'usd') !== 'usd' && status !== 'canceled'))
      return wrong('You cannot combine currencies on a single customer')
    const price = await priceOf(desk, firstItem(input['line_items']))
    const id = newId('cs')
    const session: Session = {
      ...{ id, object: 'checkout.session', mode: 'subscription', status: 'open', payment_status: 'unpaid' },
      ...{ customer: customer.id, subscription: null, amount_total: price.unit_amount, currency: 'usd' },
      ...(isHosted ? hostedAt(id, input) : { url: null, success_url: null, cancel_url: null }),
      client_secret: isHosted ? null : newId(`${id}_secret`),
      expires_at: Number(input['expires_at'] ?? desk.now + 86_400),
      allowed_payment_method_types: listed(input['allowed_payment_method_types']),
      automatic_tax: { enabled: form(input['automatic_tax'])['enabled'] === 'true' },
      ...{ _price: price, _metadata: words(form(input['subscription_data'])['metadata']) },
    }
    // A price that a checkout makes is for that checkout alone.
    if (firstItem(input['line_items'])['price'] === undefined) await desk.keep({ ...price, active: false })
    await desk.keep(session)
    return session
  },
  'GET /v1/checkout/sessions/:id': async (desk, _input, id) => {
    const session = await desk.find<Session>(id, 'checkout.session')
    return session.status === 'open' && session.expires_at <= desk.now ? { ...session, status: 'expired' as const } : session
  },
  'POST /v1/checkout/sessions/:id/expire': async (desk, _input, id) => {
    const session = await desk.find<Session>(id, 'checkout.session')
    if (session.status !== 'open') return wrong('Only open checkouts can be expired')
    const expired = { ...session, status: 'expired' as const }
    await desk.keep(expired)
    desk.tell('checkout.session.expired', expired)
    return expired
  },
  'GET /v1/subscriptions': async (desk, input) =>
    pageOf(await desk.list<Subscription>('subscription', await listedOf(desk, input)), input),
  'GET /v1/subscriptions/:id': (desk, _input, id) => desk.find<Subscription>(id, 'subscription'),
  'POST /v1/subscriptions/:id': async (desk, input, id) => {
    const subscription = await desk.find<Subscription>(id, 'subscription')
    if (subscription.status === 'canceled') return wrong('A canceled subscription can only update its cancellation_details')
    const { metadata, items, cancel_at_period_end: isCancelled } = input
    const settings = input['payment_settings']
    if (input['payment_behavior'] === 'pending_if_incomplete' && (isCancelled !== undefined || settings !== undefined))
      return wrong('A pending update takes neither cancel_at_period_end nor payment_settings')
    if (settings !== undefined && listed(form(settings)['payment_method_types'])?.join() !== 'card')
      return wrong('Invalid payment_settings[payment_method_types]')
    if (settings !== undefined) subscription.payment_settings = { payment_method_types: ['card'] }
    const named = Object.entries({ ...subscription.metadata, ...words(metadata) })
    // The provider deletes an entry that is set to nothing.
    subscription.metadata = Object.fromEntries(named.filter(([, value]) => value !== ''))
    if (Object.keys(subscription.metadata).some((name) => name.length > 40))
      return wrong('Metadata names have at most 40 characters')
    if (input['default_payment_method'] !== undefined) await billBy(desk, subscription, text(input['default_payment_method']))
    if (isCancelled !== undefined && input['cancel_at'] !== undefined)
      return wrong('Only one of cancel_at and cancel_at_period_end')
    if (isCancelled !== undefined) cancelAtEnd(subscription, isCancelled === 'true')
    if (input['cancel_at'] === '') subscription.cancel_at = null
    if (items !== undefined) {
      const isProrated = input['proration_behavior'] !== 'none'
      await changePrice(desk, subscription, await priceOf(desk, firstItem(items)), isProrated)
    }
    await desk.keep(subscription)
    desk.tell('customer.subscription.updated', subscription)
    return subscription
  },
  'DELETE /v1/subscriptions/:id': async (desk, _input, id) => {
    const subscription = await desk.find<Subscription>(id, 'subscription')
    await endSubscription(desk, subscription)
    return subscription
  },
  'GET /v1/invoices': async (desk, input) => {
    const invoices = await desk.list<Invoice>('invoice', await listedOf(desk, input))
    const wanted = input['status']
    return pageOf(
      invoices.filter(({ status }) => wanted === undefined || status === wanted),
      input,
    )
  },
  'GET /v1/invoices/:id': async (desk, _input, id) => withIntent(await desk.find<Invoice>(id, 'invoice')),
  'POST /v1/invoices/:id/void': async (desk, _input, id) => await voidInvoice(desk, await desk.find<Invoice>(id, 'invoice')),
  'POST /v1/invoices/create_preview': async (desk, input) => {
    await customerOf(desk, input)
    const subscription = await desk.find<Subscription>(text(input['subscription']), 'subscription')
    const price = await priceOf(desk, firstItem(form(input['subscription_details'])['items']))
    const { cents: total } = prorated(desk, subscription, price)
    return { object: 'invoice' as const, amount_due: total, total, currency: 'usd' }
  },
  'GET /v1/payment_intents/:id': async (desk, _input, id) => {
    const invoice = (await desk.list<Invoice>('invoice')).find(({ payments }) => isOf(payments, id))
    if (!invoice)
      throw new SandboxError(404, 'invalid_request_error', `No such payment_intent: '${id}'`, 'resource_missing', 'intent')
    const charge = invoice.status === 'paid' ? chargeOf(invoice) : null
    return { id, object: 'payment_intent' as const, status: statusOf(invoice), latest_charge: charge }
  },
  'POST /v1/refunds': async (desk, input) => {
    const intent = text(input['payment_intent'])
    const invoice = (await desk.list<Invoice>('invoice')).find(({ payments }) => isOf(payments, intent))
    if (!invoice) return wrong('No such payment_intent')
    const earlier = (await desk.list<Refund>('refund', invoice.customer)).filter(
      ({ payment_intent }) => payment_intent === intent,
    )
    const left = invoice.amount_paid - earlier.reduce((sum, { amount }) => sum + amount, 0)
    const amount = input['amount'] === undefined ? left : Number(input['amount'])
    if (left <= 0 || amount <= 0 || amount > left) return wrong('The charge has already been refunded')
    const refund: Refund = {
      ...{ id: newId('re'), object: 'refund', amount, payment_intent: intent, status: 'succeeded' },
      _customer: invoice.customer,
    }
    await desk.keep(refund)
    desk.tell('charge.refunded', {
      ...chargeOf(invoice),
      payment_intent: intent,
      amount_refunded: invoice.amount_paid - left + amount,
    })
    return refund
  },
  'GET /v1/refunds': async (desk, input) => pageOf((await desk.list<Refund>('refund')).filter(isOfIntent(input)), input),
  'GET /v1/refunds/:id': (desk, _input, id) => desk.find<Refund>(id, 'refund'),
  'GET /v1/disputes': async (desk, input) => pageOf((await desk.list<Dispute>('dispute')).filter(isOfIntent(input)), input),
  'GET /v1/disputes/:id': (desk, _input, id) => desk.find<Dispute>(id, 'dispute'),
  'POST /v1/billing_portal/sessions': async (desk, input) => {
    const customer = await customerOf(desk, input)
    if (!desk.dashboard.isPortalSaved) return wrong(NO_PORTAL)
    const back = text(input['return_url'])
    return { object: 'billing_portal.session' as const, url: new URL(`/sandbox/portal/${customer.id}`, back).href }
  },
} satisfies Calls

const NO_PORTAL =
  'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.'

function cancelAtEnd(subscription: Subscription, isCancelled: boolean): void {
  if (isCancelled) subscription.cancel_at = subscription.items.data[0].current_period_end
  else if (subscription.cancel_at_period_end) subscription.cancel_at = null
  subscription.cancel_at_period_end = isCancelled
}

/** Takes the one way to pay that Stripe knows in its tests by this name, as the card that is never declined. */
async function billBy(desk: Desk, { customer }: Subscription, method: string): Promise<void> {
  if (method !== 'pm_card_visa') return wrong(`No such PaymentMethod: '${method}'`)
  await desk.keep({ ...(await desk.find<Customer>(customer, 'customer')), _card: '4242424242424242' })
}

/** The invoice as it is answered with its payment in full. */
function withIntent({ payments, ...invoice }: Invoice) {
  const status = statusOf(invoice)
  const error = invoice._refusal && { type: 'card_error' as const, ...invoice._refusal }
  const intentOf = (id: string) => ({ id, object: 'payment_intent' as const, status, last_payment_error: error ?? null })
  const data = payments.data.map(({ payment, ...each }) => ({
    ...each,
    payment: { ...payment, payment_intent: intentOf(payment.payment_intent) },
  }))
  return { ...invoice, payments: { ...payments, data } }
}

const isOfIntent =
  (input: Reads<'payment_intent'>) =>
  ({ payment_intent }: Refund | Dispute): boolean =>
    input['payment_intent'] === undefined || payment_intent === text(input['payment_intent'])
type Status = 'succeeded' | 'processing' | 'requires_action' | 'requires_payment_method'

function statusOf({ status, _refusal: refusal, _transfer: transfer }: Omit<Invoice, 'payments'>): Status {
  if (status === 'paid') return 'succeeded'
  if (transfer) return 'processing'
  return refusal?.code === NEEDS_3DS ? 'requires_action' : 'requires_payment_method'
}

const isOf = ({ data }: Invoice['payments'], intent: string): boolean =>
  data.some(({ payment }) => payment.payment_intent === intent)
