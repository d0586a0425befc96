import { changePrice, endSubscription, prorated } from './bills.ts'
import {
  type Customer,
  type Invoice,
  newId,
  type Price,
  type Refund,
  SandboxError,
  type Session,
  type Subscription,
  shown,
} from './objects.ts'
import type { Desk, Sandbox } from './sandbox.ts'
import * as store from './store.ts'

/** The form of a request: names in brackets nest. */
interface Form {
  [name: string]: string | Form | undefined
}

type Call = (desk: Desk, form: Form, id: string) => Promise<object>

const KEY = 'Bearer sk_test_sandbox'
const listOf = (data: object[]) => ({ object: 'list', has_more: false, url: '/', data })
const text = (value: string | Form | undefined): string => (typeof value === 'string' ? value : '')
const form = (value: string | Form | undefined): Form => (typeof value === 'object' ? value : {})
const words = (value: string | Form | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(form(value)).map(([name, each]) => [name, text(each)]))
const wrong = (message: string): never => {
  throw new SandboxError(400, 'invalid_request_error', message)
}

async function priceOf(desk: Desk, item: Form): Promise<Price> {
  if (item['price'] !== undefined) return await desk.find<Price>(text(item['price']), 'price')
  const amount = form(item['price_data'])
  return newPrice(amount, text(form(amount['product_data'])['name']))
}

function newPrice(amount: Form, name: string): Price {
  const [cents, interval] = [Number(amount['unit_amount']), text(form(amount['recurring'])['interval'])]
  if (!Number.isSafeInteger(cents) || cents <= 0) return wrong('Invalid integer: unit_amount')
  if (interval !== 'month' && interval !== 'year') return wrong('Invalid recurring[interval]')
  return { id: newId('price'), object: 'price', unit_amount: cents, currency: 'usd', recurring: { interval }, _name: name }
}

const firstItem = (value: string | Form | undefined): Form => form(form(value)['0'])

/** The calls that the adapter makes. Any other is refused by its name. */
const CALLS: Readonly<Record<string, Call>> = {
  'POST /v1/customers': async (desk, input) => {
    const customer: Customer = { id: newId('cus'), object: 'customer', metadata: words(input['metadata']), _card: '' }
    await desk.keep(customer)
    return customer
  },
  'POST /v1/prices': async (desk, input) => {
    const price = newPrice(input, text(form(input['product_data'])['name']))
    await desk.keep(price)
    return price
  },
  'POST /v1/checkout/sessions': async (desk, input) => {
    if (input['ui_mode'] !== 'hosted_page' || input['mode'] !== 'subscription') return wrong('Invalid ui_mode or mode')
    await desk.find<Customer>(text(input['customer']), 'customer')
    const price = await priceOf(desk, firstItem(input['line_items']))
    const id = newId('cs')
    const session: Session = {
      ...{ id, object: 'checkout.session', mode: 'subscription', status: 'open', payment_status: 'unpaid' },
      ...{ customer: text(input['customer']), subscription: null, amount_total: price.unit_amount, currency: 'usd' },
      ...{ success_url: text(input['success_url']), cancel_url: text(input['cancel_url']) },
      expires_at: Number(input['expires_at'] ?? desk.now + 86_400),
      url: new URL(`/sandbox/checkout/${id}`, text(input['success_url'])).href,
      ...{ _price: price, _metadata: words(form(input['subscription_data'])['metadata']) },
    }
    await desk.keep(session)
    return session
  },
  'GET /v1/checkout/sessions/:id': async (desk, _input, id) => {
    const session = await desk.find<Session>(id, 'checkout.session')
    return session.status === 'open' && session.expires_at <= desk.now ? { ...session, status: 'expired' } : session
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
    listOf((await desk.list<Subscription>('subscription', text(input['customer']))).reverse()),
  'GET /v1/subscriptions/:id': (desk, _input, id) => desk.find<Subscription>(id, 'subscription'),
  'POST /v1/subscriptions/:id': async (desk, input, id) => {
    const subscription = await desk.find<Subscription>(id, 'subscription')
    if (subscription.status === 'canceled') return wrong('A canceled subscription can only update its cancellation_details')
    const { metadata, items, cancel_at_period_end: isCancelled } = input
    Object.assign(subscription.metadata, words(metadata))
    if (isCancelled !== undefined) subscription.cancel_at_period_end = isCancelled === 'true'
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
  'GET /v1/invoices': async (desk, input) => listOf((await desk.list<Invoice>('invoice', text(input['customer']))).reverse()),
  'POST /v1/invoices/create_preview': async (desk, input) => {
    const subscription = await desk.find<Subscription>(text(input['subscription']), 'subscription')
    const price = await priceOf(desk, firstItem(form(input['subscription_details'])['items']))
    return { object: 'invoice', amount_due: prorated(desk, subscription, price).cents, currency: 'usd' }
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
    desk.tell('charge.refunded', { object: 'charge', customer: invoice.customer, payment_intent: intent })
    return refund
  },
  'GET /v1/refunds': async (desk, input) =>
    listOf((await desk.list<Refund>('refund')).filter(({ payment_intent }) => payment_intent === text(input['payment_intent']))),
  'POST /v1/billing_portal/sessions': async (desk, input) => {
    const customer = await desk.find<Customer>(text(input['customer']), 'customer')
    const back = text(input['return_url'])
    return { object: 'billing_portal.session', url: new URL(`/sandbox/portal/${customer.id}`, back).href }
  },
}

const isOf = ({ data }: Invoice['payments'], intent: string): boolean =>
  data.some(({ payment }) => payment.payment_intent === intent)

const ROUTES = Object.entries(CALLS).map(([name, call]) => {
  const [method, path = ''] = name.split(' ')
  return { method, pattern: new RegExp(`^${path.replace(':id', '([A-Za-z0-9_]+)')}$`), call }
})

/** Answers the calls of the provider’s client, in place of the network. */
export function fetchFrom(sandbox: Sandbox, db: Parameters<typeof store.find>[0]): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init?.headers)
    const sent = init?.method === 'GET' ? url.searchParams : new URLSearchParams(String(init?.body ?? ''))
    try {
      const answer = await answerTo(sandbox, db, init?.method ?? 'GET', url.pathname, { headers, sent })
      return Response.json(shown(answer), { headers: { 'request-id': newId('req') } })
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      const { type, message, code, status } = error
      return Response.json({ error: { type, message, code } }, { status })
    }
  }
}

async function answerTo(
  sandbox: Sandbox,
  db: Parameters<typeof store.find>[0],
  method: string,
  path: string,
  { headers, sent }: { headers: Headers; sent: URLSearchParams },
): Promise<object> {
  if (headers.get('authorization') !== KEY) throw new SandboxError(401, 'invalid_request_error', 'Invalid API Key provided')
  const [found] = ROUTES.flatMap(({ call, pattern, ...route }) => {
    const match = route.method === method ? pattern.exec(path) : null
    return match ? [{ call, id: match[1] ?? '' }] : []
  })
  if (!found) throw new SandboxError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path})`)
  const key = method === 'POST' ? headers.get('idempotency-key') : null
  return await sandbox.run(async (desk) => {
    const known = key === null ? undefined : await store.find(db, `key:${key}`)
    if (known) return known
    const answer = await found.call(desk, nested(sent), found.id)
    if (key !== null) await store.keep(db, { id: `key:${key}`, kind: 'key', body: shown(answer) })
    return answer
  })
}

/** Reads `a[b][0]=c` as objects in one another. */
function nested(sent: URLSearchParams): Form {
  const root: Form = Object.create(null)
  for (const [name, value] of sent) {
    const keys = name.replaceAll(']', '').split('[')
    let place = root
    for (const key of keys.slice(0, -1)) {
      const known = place[key]
      const next: Form = typeof known === 'object' ? known : Object.create(null)
      place[key] = next
      place = next
    }
    place[keys.at(-1) ?? ''] = value
  }
  return root
}
