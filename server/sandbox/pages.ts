import { charge, openRenewal, payCheckout, renew } from './bills.ts'
import { payInvoice } from './changes.ts'
import { asks3ds, type Customer, type Invoice, SandboxError, type Session, type Subscription } from './objects.ts'
import type { Sandbox } from './sandbox.ts'

/** A page, or where to go from a form. */
export type Answer = { html: string } | { to: string }

const TEST_CARDS: readonly (readonly [number: string, what: string])[] = [
  ['4242 4242 4242 4242', 'pays'],
  ['4000 0025 0000 3155', 'pays after 3-D Secure'],
  ['4000 0027 6000 3184', 'asks for 3-D Secure each time'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 9995', 'has insufficient funds'],
  ['4000 0000 0000 0341', 'pays now, and is declined at renewals'],
]

export const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:0 auto;padding:1.5rem}
.banner{background:#7a3b00;color:#fff;padding:.5rem .75rem;border-radius:.5rem;font-weight:600}.error{color:#b00020;font-weight:600}
html{background:#fff;color:#111}a{color:#0a4fb3}@media(prefers-color-scheme:dark){html{background:#121212;color:#f2f2f2}.error{color:#ff8a8a}a{color:#9cc2ff}}form{display:grid;gap:.75rem;margin:1rem 0}label{display:grid;gap:.25rem}
input,button{font:inherit;padding:.6rem .75rem;border-radius:.5rem;border:1px solid #767676}button{cursor:pointer}
table{border-collapse:collapse}td{padding:.15rem .75rem .15rem 0}td:first-child{white-space:nowrap}dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dd{margin:0}`

const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)
export const dollars = (cents: number): string => `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`
const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const page = (title: string, body: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}: Sandbox</title>
<link rel="stylesheet" href="/sandbox/style.css"></head><body><main>
<p class="banner" role="note">Sandbox, no real money</p><h1>${escaped(title)}</h1>${body}</main></body></html>`

const cardList = `<h2>Test cards</h2><table>${TEST_CARDS.map(([number, what]) => `<tr><td>${number}</td><td>${what}</td></tr>`).join('')}</table>`

const cardField = `<label>Card number<input name="card" inputmode="numeric" autocomplete="off" required maxlength="30" value="4242 4242 4242 4242"></label>`

const errorLine = (error: string): string => (error === '' ? '' : `<p class="error" role="alert">${escaped(error)}</p>`)

const checkoutPage = (session: Session, error = ''): string =>
  page(
    `Pay ${dollars(session.amount_total)}`,
    `<p>${escaped(session._price._name)}, billed each ${session._price.recurring.interval}. Use one of the test cards below.</p>
${errorLine(error)}<form method="post">${cardField}<button name="act" value="pay">Pay ${dollars(session.amount_total)}</button></form>
<p><a href="${escaped(session.cancel_url ?? '')}">Back without paying</a></p>${cardList}`,
  )

const securePage = (number: string): string =>
  page(
    '3-D Secure',
    `<p>Your bank asks whether it is you. This is a test: choose what happens.</p><form method="post">
<input type="hidden" name="card" value="${escaped(number)}"><button name="act" value="confirmed">Complete authentication</button>
<button name="act" value="failed">Fail authentication</button></form>`,
  )

export const NOT_CONFIRMED = 'Your bank did not confirm that it is you. Nothing was paid.'

export const digits = (form: URLSearchParams): string => (form.get('card') ?? '').replace(/\D/g, '')

/** The page of a checkout, and what its form does. It needs no session: who knows the address may pay. */
export async function answerCheckout(sandbox: Sandbox, id: string, form?: URLSearchParams): Promise<Answer> {
  const session = await sandbox.run((desk) => desk.find<Session>(id, 'checkout.session'))
  const back = session.success_url
  if (back === null) throw new SandboxError(404, 'invalid_request_error', 'This checkout has no page')
  if (session.status === 'complete') return { to: back }
  if (session.status === 'expired')
    return { html: page('This checkout is over', '<p>It was closed, or replaced by a newer one. Nothing was paid.</p>') }
  if (!form) return { html: checkoutPage(session) }
  const [number, act] = [digits(form), form.get('act')]
  if (act === 'failed') return { html: checkoutPage(session, NOT_CONFIRMED) }
  if (act !== 'confirmed' && asks3ds(number)) return { html: securePage(number) }
  try {
    await sandbox.run((desk) => payCheckout(desk, id, number, new URL(back).origin))
    await sandbox.deliver()
    return { to: back }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    return { html: checkoutPage(session, error.message) }
  }
}

const BACK = '<p><a href="/subscribe">Back to Conclave</a></p>'

const cardFieldWith = (number: string): string => cardField.replace(/value="[^"]*"/, `value="${escaped(number)}"`)

const invoicePage = ({ amount_due: cents }: Invoice, number: string, error = ''): string =>
  page(
    `Pay ${dollars(cents)}`,
    `${errorLine(error)}<form method="post">${cardFieldWith(number)}<button name="act" value="pay">Pay ${dollars(cents)}</button></form>
${BACK}${cardList}`,
  )

/** The page of an invoice that waits for the person, and what its forms do. Like the provider’s it leads nowhere by itself. */
export async function answerInvoice(sandbox: Sandbox, id: string, form?: URLSearchParams): Promise<Answer> {
  const [invoice, { _card: card }] = await sandbox.run(async (desk) => {
    const found = await desk.find<Invoice>(id, 'invoice')
    return [found, await desk.find<Customer>(found.customer, 'customer')] as const
  })
  if (invoice.status === 'paid') return { html: page('Paid', `<p>${dollars(invoice.amount_paid)} were paid.</p>${BACK}`) }
  if (invoice.status === 'void') return { html: page('This payment is over', `<p>Nothing was paid.</p>${BACK}`) }
  if (!form) return { html: invoicePage(invoice, card) }
  const [number, act] = [digits(form), form.get('act')]
  if (act === 'failed') return { html: invoicePage(invoice, number, NOT_CONFIRMED) }
  if (act !== 'confirmed' && asks3ds(number)) return { html: securePage(number) }
  try {
    await sandbox.run((desk) => payInvoice(desk, id, number))
    await sandbox.deliver()
    return { to: `/sandbox/invoice/${id}` }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    return { html: invoicePage(invoice, number, error.message) }
  }
}

interface Account {
  customer: Customer
  subscription: Subscription | undefined
  invoices: Invoice[]
}

function portalPage({ customer, subscription, invoices }: Account): string {
  const [item] = subscription?.items.data ?? []
  const open = invoices.some(({ status, billing_reason: reason }) => status === 'open' && reason === 'subscription_cycle')
  const state =
    subscription && item
      ? `<dl><dt>Plan</dt><dd>${escaped(item.price._name)}, ${dollars(item.price.unit_amount)} each ${item.price.recurring.interval}</dd>
<dt>Status</dt><dd>${subscription.status}${subscription.cancel_at_period_end ? ', ends with the period' : ''}</dd>
<dt>Period ends</dt><dd>${day(item.current_period_end)}</dd></dl>`
      : '<p>No subscription.</p>'
  const rows = invoices.map(
    ({ id, created, amount_due, status }) =>
      `<tr><td>${day(created)}</td><td>${dollars(amount_due)}</td><td>${status}</td><td><small>${escaped(id.slice(-8))}</small></td></tr>`,
  )
  const acts =
    subscription && subscription.status !== 'canceled'
      ? `<form method="post"><button name="act" value="renew">End the period now (test clock)</button>${open ? '<button name="act" value="collect">Pay the open invoice</button>' : ''}</form>`
      : ''
  return page(
    'Card and invoices',
    `${state}<form method="post">${cardFieldWith(customer._card)}
<button name="act" value="card">Save the card</button></form>${acts}<h2>Invoices and receipts</h2><table>${rows.join('')}</table>
${BACK}${cardList}`,
  )
}

/** The page of a customer, and what its forms do. */
export async function answerPortal(sandbox: Sandbox, id: string, form?: URLSearchParams): Promise<Answer> {
  const act = form?.get('act')
  await sandbox.run(async (desk) => {
    const customer = await desk.find<Customer>(id, 'customer')
    const subscription = (await desk.list<Subscription>('subscription', id)).find(({ status }) => status !== 'canceled')
    if (form && act === 'card') await desk.keep({ ...customer, _card: digits(form) })
    if (!subscription) return
    const invoice = await openRenewal(desk, subscription)
    if (act === 'collect' && invoice) await charge(desk, subscription, invoice)
    if (act === 'renew' && !invoice) await renew(desk, subscription)
  })
  if (form) {
    await sandbox.deliver()
    return { to: `/sandbox/portal/${id}` }
  }
  return await sandbox.run(async (desk) => ({
    html: portalPage({
      customer: await desk.find<Customer>(id, 'customer'),
      subscription: (await desk.list<Subscription>('subscription', id)).at(-1),
      invoices: (await desk.list<Invoice>('invoice', id)).reverse(),
    }),
  }))
}
