import type Stripe from 'stripe'
import { asked, isMissing } from '../payments/card.ts'
import { billedBy, idOf } from '../payments/meaning.ts'
import { TAKEN } from '../payments/returns.ts'
import { planOf } from '../payments/sync.ts'
import { catchUp } from '../payments/webhook.ts'
import { adoption, payerOf } from './compareSubscriptions.ts'
import { type CheckEnv, type Difference, isYoung, lastOf, PAGE, type Piece, pageOf, type Walk } from './difference.ts'
import * as store from './store.ts'

/** One page of paid invoices. */
export async function compareInvoices(env: CheckEnv, walk: Walk): Promise<Piece> {
  const client = await env.card.client()
  const page = await asked(client.invoices.list({ status: 'paid', ...pageOf(walk) }))
  const rows = await store.findCards(
    env.db,
    env.card.providerId,
    page.data.map(({ customer }) => idOf(customer) ?? ''),
  )
  const written = await store.findCents(
    env.db,
    page.data.map(({ id }) => keyOf(id)),
  )
  const differences: Difference[] = []
  for (const invoice of page.data) {
    const key = keyOf(invoice.id)
    walk.seen.add(key)
    const cents = written.get(key)
    const row = rows.get(idOf(invoice.customer) ?? '')
    if (cents === invoice.amount_paid || isYoung(walk, invoice.created)) continue
    const found = cents === undefined ? await unwritten(env, row, invoice) : otherSum(invoice, cents)
    if (found) differences.push(found)
  }
  return { looked: page.data.length, differences, after: lastOf(page) }
}

const keyOf = (id: string | undefined): string => `card:${id}`

const named = ({ id, customer }: Stripe.Invoice): string => `invoice ${id} of customer ${idOf(customer)}`

const otherSum = (invoice: Stripe.Invoice, cents: number): Difference => ({
  line: `${named(invoice)} was paid with ${invoice.amount_paid} cents, and the ledger has ${cents}`,
  todo: 'Find out why: the ledger cannot be changed',
})

async function unwritten(
  env: CheckEnv,
  row: store.CardRow | undefined,
  invoice: Stripe.Invoice,
): Promise<Difference | undefined> {
  const { metadata } = invoice.parent?.subscription_details ?? {}
  const isOurs = billedBy(metadata ?? {}, undefined) !== undefined
  if (!row && !isOurs) return undefined
  const whose = row ? `${named(invoice)} and account ${row.card.userId}` : named(invoice)
  if (invoice.currency !== 'usd')
    return { line: `${whose} was paid in ${invoice.currency}, and gives nothing`, todo: 'Pay it back at the provider' }
  const key = keyOf(invoice.id)
  const isLeft = async () => !(await store.findCents(env.db, [key])).has(key)
  if (!row) {
    const customer = idOf(invoice.customer) ?? ''
    const userId = await payerOf(env, metadata ?? {}, customer)
    if (userId === undefined)
      return { line: `${whose} is of this server and names no account`, todo: 'Find out at the provider who has paid' }
    const found = await adoption(env, { userId, customer, named: `${whose} and account ${userId}` })
    return 'mend' in found ? { ...found, mend: { ...found.mend, isLeft } } : found.difference
  }
  const { card } = row
  if (!planOf(card, invoice))
    return { line: `${whose} was paid for nothing that this server sells`, todo: 'Pay it back at the provider, or leave it' }
  return {
    line: `${whose} is paid and not in the ledger`,
    todo: 'It is older than a hundred invoices of its customer: look at both by hand',
    mend: { kind: 'event', did: 'it is written', work: () => catchUp(env, card.userId), isLeft },
  }
}

type Return = Pick<Stripe.Refund, 'id' | 'payment_intent' | 'status'> & { created?: number; kind: 'refund' | 'dispute' }

/** One page of refunds. */
export async function compareRefunds(env: CheckEnv, walk: Walk): Promise<Piece> {
  const client = await env.card.client()
  const page = await asked(client.refunds.list(pageOf(walk)))
  const differences = await compareReturns(
    env,
    walk,
    page.data.map(({ status, ...refund }) => {
      const isUndone = status === 'failed' || status === 'canceled'
      return { ...refund, kind: 'refund' as const, status, isUndone }
    }),
  )
  return { looked: page.data.length, differences, after: lastOf(page) }
}

/** One page of disputes. An inquiry takes nothing. */
export async function compareDisputes(env: CheckEnv, walk: Walk): Promise<Piece> {
  const client = await env.card.client()
  const page = await asked(client.disputes.list(pageOf(walk)))
  const taken = page.data.filter(({ status }) => status === 'won' || TAKEN.includes(status))
  const differences = await compareReturns(
    env,
    walk,
    taken.map((dispute) => ({ ...dispute, kind: 'dispute' as const, isUndone: dispute.status === 'won' })),
  )
  return { looked: page.data.length, differences, after: lastOf(page) }
}

const UNDONE = { refund: 'failed', dispute: 'won' } as const

async function compareReturns(env: CheckEnv, walk: Walk, returns: (Return & { isUndone: boolean })[]): Promise<Difference[]> {
  const intents = returns.map(({ payment_intent: intent }) => idOf(intent) ?? '')
  const payers = await store.findPayers(env.db, env.card.providerId, intents)
  const written = await store.findCents(
    env.db,
    returns.flatMap(({ id, kind }) => [keyOf(id), `${keyOf(id)}:${UNDONE[kind]}`]),
  )
  return returns.flatMap(({ id, kind, isUndone, ...about }) => {
    const key = keyOf(id)
    walk.seen.add(key)
    const intent = idOf(about.payment_intent) ?? ''
    const userId = payers.get(intent)
    // What was undone before we heard of it leaves no entry.
    const isWritten = (entries: Map<string, number>) =>
      isUndone ? !entries.has(key) || entries.has(`${key}:${UNDONE[kind]}`) : entries.has(key)
    // It is of another thing that the operator sells, or its payment is named.
    if (userId === undefined || isWritten(written) || isYoung(walk, about.created ?? 0)) return []
    return [
      {
        line: `${kind} ${id} (${about.status}) of payment ${intent} and account ${userId} is not in the ledger as the provider has it`,
        todo: 'Look at both by hand',
        mend: {
          ...{ kind: 'event' as const, did: 'it is written' },
          work: () => catchUp(env, userId, intent),
          isLeft: async () => !isWritten(await store.findCents(env.db, [key, `${key}:${UNDONE[kind]}`])),
        },
      },
    ]
  })
}

/** Entries that the provider has not listed. */
export async function compareWritten(env: CheckEnv, walk: Walk): Promise<Piece> {
  const place = { since: walk.since, until: walk.startedAt, after: Number(walk.after ?? 0) }
  const entries = await store.listWritten(env.db, env.card.providerId, place, PAGE)
  const differences: Difference[] = []
  for (const { key, kind, userId } of entries)
    if (!walk.seen.has(key) && !(await isAtProvider(env, key)))
      differences.push({
        line: `the ledger has a ${kind} of account ${userId}, ${key}, of which the provider knows nothing`,
        todo: 'Find out why: the ledger cannot be changed',
      })
  return { looked: entries.length, differences, after: entries.length === PAGE ? String(entries.at(-1)?.place) : undefined }
}

async function isAtProvider(env: CheckEnv, key: string): Promise<boolean> {
  const client = await env.card.client()
  const id = key.slice(keyOf('').length)
  try {
    if (id.startsWith('in_')) return (await asked(client.invoices.retrieve(id))).status === 'paid'
    if (id.startsWith('re_')) await asked(client.refunds.retrieve(id))
    else await asked(client.disputes.retrieve(id))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
