import { charge, openRenewal, payCheckout, renew } from './bills.ts'
import { payInvoice } from './changes.ts'
import { asks3ds, type Customer, type Invoice, SandboxError, type Session, type Subscription } from './objects.ts'
import { BACK, BRAND, day, dollars, escaped, frame, page } from './paper.ts'
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

const cardList = `<section class="block after"><h2>Test cards</h2><table class="cards">${TEST_CARDS.map(([number, what]) => `<tr><td>${number}</td><td>${what}</td></tr>`).join('')}</table></section>`

const cardField = (number: string, error = ''): string =>
  `<label>Card number<input name="card" inputmode="numeric" autocomplete="off" required maxlength="30" value="${escaped(number)}"${
    error === '' ? '' : ' aria-invalid="true" aria-describedby="wrong"'
  }></label>${error === '' ? '' : `<p class="error" id="wrong" role="alert">${escaped(error)}</p>`}`

const CARD = '4242 4242 4242 4242'

const costs = (
  name: string,
  when: string,
  cents: number,
): string => `<p class="small">You pay</p><h1 class="price">${dollars(cents)}</h1>
<table class="sum"><tr><td>${escaped(name)}</td><td>${dollars(cents)}</td></tr><tr class="total"><td>Today</td><td>${dollars(cents)}</td></tr></table>
<p class="small block">${when}</p>`

const payForm = (cents: number, number: string, error: string): string => `<h2>Pay by card</h2><form method="post">
${cardField(number, error)}<button name="act" value="pay">Pay ${dollars(cents)}</button></form>${cardList}`

const two = (left: string, right: string): string =>
  `<div class="two"><section>${left}</section><section>${right}</section></div>`

function checkoutPage(session: Session, number = CARD, error = ''): string {
  const { amount_total: cents, cancel_url: back, _price: price } = session
  const { interval } = price.recurring
  const when = `Renews each ${interval}. End it any day in Settings, Plan; it then runs to the end of the ${interval}.`
  return frame(
    `Pay ${dollars(cents)}`,
    `<a href="${escaped(back ?? '')}">Back without paying</a>`,
    two(costs(`${price._name}, one ${interval}`, when, cents), payForm(cents, number, error)),
  )
}

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
  if (act === 'failed') return { html: checkoutPage(session, number, NOT_CONFIRMED) }
  if (act !== 'confirmed' && asks3ds(number)) return { html: securePage(number) }
  try {
    await sandbox.run((desk) => payCheckout(desk, id, number, new URL(back).origin))
    await sandbox.deliver()
    return { to: back }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    return { html: checkoutPage(session, number, error.message) }
  }
}

const invoicePage = ({ amount_due: cents }: Invoice, number: string, error = ''): string =>
  frame(
    `Pay ${dollars(cents)}`,
    BACK,
    two(costs('What is open', 'Your plan goes on once this is paid.', cents), payForm(cents, number, error)),
  )

/** A sheet as it prints, white in both themes. */
function receiptPage({ id, amount_paid: cents, created, lines }: Invoice): string {
  const [line] = lines.data
  const period = line ? `<dt>For</dt><dd>${day(line.period.start)} to ${day(line.period.end)}</dd>` : ''
  return frame(
    'Paid',
    BACK,
    `<article class="sheet"><header>${BRAND}<code>${escaped(id.slice(-8))}</code></header>
<h1>Paid</h1><p class="price">${dollars(cents)}</p><p>Made on ${day(created)}, paid by a test card.</p>
<dl>${period}<dt>From</dt><dd>The sandbox of this server</dd></dl>
<table class="sum"><tr><th>What</th><th>Amount</th></tr><tr><td>Conclave, by subscription</td><td>${dollars(cents)}</td></tr><tr class="total"><td>Paid</td><td>${dollars(cents)}</td></tr></table>
<p class="small">No real money was moved. Only the number links this sheet to an account.</p></article>`,
  )
}

/** The page of an invoice that waits for the person, and what its forms do. Like the provider’s it leads nowhere by itself. */
export async function answerInvoice(sandbox: Sandbox, id: string, form?: URLSearchParams): Promise<Answer> {
  const [invoice, { _card: card }] = await sandbox.run(async (desk) => {
    const found = await desk.find<Invoice>(id, 'invoice')
    return [found, await desk.find<Customer>(found.customer, 'customer')] as const
  })
  if (invoice.status === 'paid') return { html: receiptPage(invoice) }
  if (invoice.status === 'void') return { html: page('This payment is over', '<p>Nothing was paid.</p>') }
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
<dt>Status</dt><dd>${subscription.status}${subscription.cancel_at_period_end || subscription.cancel_at !== null ? ', ends with the period' : ''}</dd>
<dt>Period ends</dt><dd>${day(item.current_period_end)}</dd></dl>`
      : '<p>No subscription.</p>'
  const rows = invoices.map(
    ({ id, created, amount_due, status }) =>
      `<tr><td>${day(created)}</td><td>${status}</td><td><a href="/sandbox/invoice/${escaped(id)}"><code>${escaped(id.slice(-8))}</code></a></td><td>${dollars(amount_due)}</td></tr>`,
  )
  const acts =
    subscription && subscription.status !== 'canceled'
      ? `<form method="post" class="after-form"><button name="act" value="renew">End the period now (test clock)</button>${open ? '<button name="act" value="collect">Pay the open invoice</button>' : ''}<button name="act" value="cancel">Cancel the plan</button></form>`
      : ''
  return frame(
    'Card and invoices',
    BACK,
    two(
      `<h1>Card and invoices</h1><div class="block">${state}</div><section class="block"><h2>Invoices and receipts</h2><table class="sum">${rows.join('')}</table></section>`,
      `<h2>Card</h2><form method="post">${cardField(customer._card)}<button name="act" value="card">Save the card</button></form>${acts}${cardList}`,
    ),
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
    if (act === 'cancel') {
      const cancelled = { ...subscription, cancel_at: subscription.items.data[0].current_period_end }
      await desk.keep(cancelled)
      desk.tell('customer.subscription.updated', cancelled)
    }
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
