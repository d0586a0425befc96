import { expect } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import { type Dispute, type Invoice, newId, type Refund } from '../sandbox/objects.ts'
import type { Person } from './person.ts'
import type { World } from './world.ts'

const DAY = 24 * 60 * 60

/** The test cards of the sandbox. */
export const CARD = {
  good: '4242424242424242',
  other: '4000056655665556',
  third: '5555555555554444',
  declined: '4000000000000002',
  poor: '4000000000009995',
  asksFirst: '4000002500003155',
  asksAlways: '4000002760003184',
  failsLater: '4000000000000341',
}

/** Bank accounts, whose payments settle after four days. */
export const BANK = { pays: '000123456789', refuses: '000111111116' }

const OF =
  "customer in (select id from sandbox_objects where kind = 'customer' and body -> 'metadata' ->> 'userId' = $1::uuid::text)"

/** What people do at the pages of the sandbox, and what the account then has. */
export function cardsOf(world: World) {
  const { db, card } = world.env
  const sandbox = card.inside?.sandbox
  if (!sandbox) throw new Error('Tests pay in the sandbox')

  const formed = (path: string, form: Record<string, string>) =>
    fetch(new URL(path, world.url), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  /** Sends the form of the provider’s page at this address. */
  const pays = (url: string, number = CARD.good, act = 'pay') => formed(new URL(url).pathname, { card: number, act })
  const atPortal = async (who: Person, form: Record<string, string>) =>
    formed(new URL((await who.does(paymentsApi.portal, {})).url).pathname, form)
  const centsOf = async (text: string, who: Person) => Number((await world.sql(text, [who.id]))[0]?.['cents'])
  const stateOf = (who: Person) => who.does(paymentsApi.subscription, {})
  return {
    ...{ sandbox, formed, pays, atPortal, stateOf },
    free: () => world.person('alice', 'free'),
    async buys(who: Person, planType: 'test' | 'premium', number?: string, billingPeriod: 'monthly' | 'yearly' = 'monthly') {
      const { url } = await who.does(paymentsApi.checkout, { planType, billingPeriod })
      expect((await pays(url, number, number === undefined ? 'pay' : 'confirmed')).status).toBe(303)
    },
    /** The bank takes the newest payment back, asks about it, or decides. */
    async disputes(who: Person, status: Dispute['status'] = 'needs_response', paidBy?: string) {
      const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [who.id])
      await sandbox.run(async (desk) => {
        const invoices = await desk.list<Invoice>('invoice', String(row?.['customer_id']))
        const intentOf = ({ payments }: Invoice) => payments.data[0]?.payment.payment_intent
        const invoice = invoices.findLast((one) => one.status === 'paid' && (!paidBy || intentOf(one) === paidBy))
        const intent = (invoice && intentOf(invoice)) ?? ''
        const known = (await desk.list<Dispute>('dispute')).find((one) => one.payment_intent === intent)
        const dispute: Dispute = {
          ...{ id: known?.id ?? newId('dp'), object: 'dispute', amount: invoice?.amount_paid ?? 0, currency: 'usd' },
          ...{ payment_intent: intent, status, _customer: String(row?.['customer_id']) },
        }
        await desk.keep(dispute)
        desk.tell(known ? 'charge.dispute.closed' : 'charge.dispute.created', dispute)
      })
      await sandbox.deliver()
    },
    /** The banks refuse the refunds that a person was paid. */
    async failsRefunds(who: Person) {
      const rows = await world.sql(`select body from sandbox_objects where kind = 'refund' and ${OF}`, [who.id])
      await sandbox.run(async (desk) => {
        for (const { body } of rows) {
          const refund: Refund = { ...Object(body), status: 'failed' }
          await desk.keep(refund)
          desk.tell('refund.failed', refund)
        }
      })
      await sandbox.deliver()
    },
    /** The next guarantee is as of a card that was never paid back. */
    forgetsCards: () => world.sql('delete from guarantee_cards'),
    changesCard: (who: Person, number: string) => atPortal(who, { act: 'card', card: number }),
    /** Time passes for the server and for the provider. */
    async passes(days: number) {
      world.passes(days * DAY)
      await world.jobs.runDue()
      await sandbox.deliver()
    },
    tierOf: async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier,
    waitingOf: async (who: Person) => (await stateOf(who)).card?.waiting ?? null,
    entriesOf: (who: Person) =>
      world.sql('select kind, tier, amount_cents::int as cents from ledger_entries where user_id = $1 order by place', [who.id]),
    /** The provider tells of what it has of a person, once more. */
    async tells(who: Person, kind: 'invoice' | 'subscription') {
      const type = kind === 'invoice' ? 'invoice.updated' : 'customer.subscription.updated'
      const rows = await world.sql(`select body from sandbox_objects where kind = $2 and ${OF} order by place`, [who.id, kind])
      await sandbox.run(async (desk) => {
        for (const { body } of rows) desk.tell(type, Object(body))
      })
      await sandbox.deliver()
    },
    /** What the provider has taken from a person and not given back, by its own books, in cents. */
    atProvider: (who: Person) =>
      centsOf(
        `select coalesce(sum(case kind when 'invoice' then (body ->> 'amount_paid')::bigint else -(body ->> 'amount')::bigint end), 0) as cents
         from sandbox_objects where ${OF} and (kind, body ->> 'status') in
         (('invoice', 'paid'), ('refund', 'succeeded'), ('dispute', 'needs_response'), ('dispute', 'lost'))`,
        who,
      ),
    /** The same by the ledger. */
    inLedger: (who: Person) =>
      centsOf(
        `select coalesce(sum(case when kind in ('payment', 'refund_failed', 'dispute_won') then amount_cents
           when kind in ('refund', 'dispute') then -amount_cents else 0 end), 0) as cents
         from ledger_entries where user_id = $1 and source = 'card'`,
        who,
      ),
    holds: async () => expect((await checkLedger(db, world.env.clock())).differences).toEqual([]),
  }
}
