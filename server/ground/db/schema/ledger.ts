import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'
import { cardProviders } from './payments.ts'
import { premiumPackages } from './plans.ts'

/**
 * What was asked, paid, paid back and given, for ever: a trigger refuses every change and every deletion. The plan of an account
 * follows from its entries.
 */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    /** The order of an account's entries: each is written under the lock of its row of `users`. */
    place: bigint('place', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** What the entry is of, such as `card:in_123`. The same key is never written twice, so nothing is credited twice. */
    key: text('key').notNull().unique(),
    /**
     * `invoice`: an amount is due, and gives nothing. `payment`: it was paid, and gives the plan for the period. `refund`: of
     * `refers_to`, whose period ends with it if all was paid back. `dispute`: the bank took the payment back, which ends its period;
     * `dispute_won`, `refund_failed`: it was given again. `grant`: the operator gave this plan, which replaces all before.
     */
    kind: text('kind')
      .$type<'invoice' | 'payment' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won' | 'grant'>()
      .notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    source: text('source').$type<'card' | 'coin' | 'operator'>().notNull(),
    /** Names where a card payment was taken. */
    providerId: integer('provider_id').references(() => cardProviders.id),
    tier: text('tier').notNull(),
    packageId: uuid('package_id').references(() => premiumPackages.id),
    billingPeriod: text('billing_period').$type<'monthly' | 'yearly'>(),
    /** US cents, never negative: the kind says the direction. */
    amountCents: bigint('amount_cents', { mode: 'number' }).notNull(),
    /** How much of the amount is tax; null where none was computed. */
    taxCents: bigint('tax_cents', { mode: 'number' }),
    /** What it was paid in, and how much of its smallest unit, as an integer; null for US dollars. */
    coin: text('coin').$type<'bitcoin' | 'ethereum' | 'usdc'>(),
    coinUnits: text('coin_units'),
    /** The period; no end means until something else is said. */
    startsAt: at('starts_at').notNull(),
    endsAt: at('ends_at'),
    /** The key of the payment. */
    refersTo: text('refers_to'),
    /** What the provider or the chain calls it. */
    reference: text('reference'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    index('ledger_entries_user').on(table.userId, table.place),
    index('ledger_entries_refers').on(table.refersTo),
    index('ledger_entries_reference').on(table.reference),
    index('ledger_entries_grants').on(table.userId).where(sql`${table.kind} = 'grant'`),
    index('ledger_entries_package').on(table.packageId).where(sql`${table.packageId} is not null`),
    index('ledger_entries_ahead').on(table.startsAt).where(sql`${table.startsAt} > ${table.createdAt}`),
    check('ledger_entries_provider', sql`${table.source} <> 'card' or ${table.providerId} is not null`),
    check('ledger_entries_tax', sql`${table.taxCents} between 0 and ${table.amountCents}`),
    check('ledger_entries_amount', sql`${table.amountCents} >= 0 and ${table.coinUnits} ~ '^[0-9]{1,78}$' is not false`),
  ],
)

export const ledgerChain = pgTable('ledger_chain', {
  seq: bigint('seq', { mode: 'number' }).primaryKey(),
  place: bigint('place', { mode: 'number' }).notNull().unique(),
  hash: bytes('hash').notNull(),
})
