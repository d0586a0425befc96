import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'
import { premiumPackages } from './plans.ts'

interface WaitingPayment {
  kind: 'change' | 'renewal'
  /** The provider’s page of the invoice. */
  url: string
  amountCents: number
  tier: string
  /** Until when it can be paid, in ISO 8601; null if the provider says nothing. */
  until: string | null
}

/** One row for each provider, mode and account. */
export const cardProviders = pgTable(
  'card_providers',
  {
    /** 1 took the payments of before: `unknown` until a server starts with a provider. */
    id: integer('id').primaryKey(),
    provider: text('provider').$type<'stripe' | 'sandbox' | 'off' | 'unknown'>().notNull(),
    isLive: boolean('is_live').notNull(),
    /** Empty while the provider has not told it. */
    account: text('account').notNull(),
    /** True for real money and the running server's. */
    counts: boolean('counts').notNull(),
    /** Numbers the newest start with it; 0 is none. The highest is how the server runs. */
    start: integer('start').notNull(),
  },
  (table) => [unique('card_providers_one').on(table.provider, table.isLive, table.account)],
)

/** What a card provider last said of an account. The money itself stands in the ledger. */
export const cardAccounts = pgTable(
  'card_accounts',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    providerId: integer('provider_id')
      .notNull()
      .references(() => cardProviders.id),
    /** The provider’s id of the person; null while it is being made. */
    customerId: text('customer_id').unique(),
    /** The provider knows it no more. */
    lostCustomerId: text('lost_customer_id'),
    /** The one checkout that can still be paid. */
    checkoutId: text('checkout_id'),
    subscriptionId: text('subscription_id'),
    /** As the provider says it: active, past_due, canceled and others. */
    status: text('status'),
    tier: text('tier'),
    packageId: uuid('package_id').references(() => premiumPackages.id),
    billingPeriod: text('billing_period').$type<'monthly' | 'yearly'>(),
    startedAt: at('started_at'),
    periodEnd: at('period_end'),
    /** Since when a renewal waits for its payment. */
    failedSince: at('failed_since'),
    /** The unpaid invoice that the person can pay at the provider’s page: of a larger plan, or of a renewal that has failed. */
    waiting: jsonb('waiting').$type<WaitingPayment>(),
    /** True while another period will be billed: then the plan outlasts the paid one by the days of grace. */
    renews: boolean('renews').notNull().default(false),
    /** `failedSince` of the renewal of the last mail, its tries, and the next; null once it is done. */
    mailAbout: at('mail_about'),
    mailTries: integer('mail_tries').notNull().default(0),
    mailNextAt: at('mail_next_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.providerId] }),
    index('card_accounts_package').on(table.packageId).where(sql`${table.packageId} is not null`),
    index('card_accounts_failed').on(table.failedSince).where(sql`${table.failedSince} is not null`),
  ],
)

/** The operator’s terms to which a buyer has agreed. */
export const purchaseConsents = pgTable(
  'purchase_consents',
  {
    /** `card:` and the checkout or subscription at the provider, `coin:` and the payment request. */
    purchase: text('purchase').notNull(),
    consentedAt: at('consented_at').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    termsVersion: text('terms_version').notNull(),
    termsUrl: text('terms_url').notNull(),
    /** The person has asked for the plan at once too. */
    hasWithdrawal: boolean('has_withdrawal').notNull(),
    tier: text('tier').notNull(),
    packageId: uuid('package_id'),
    billingPeriod: text('billing_period').$type<'monthly' | 'yearly'>().notNull(),
    amountCents: bigint('amount_cents', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.purchase, table.consentedAt] }),
    index('purchase_consents_user').on(table.userId, table.consentedAt),
  ],
)

/** By which the guarantee was used. It stays when accounts go. */
export const guaranteeCards = pgTable('guarantee_cards', {
  /** HMAC of its fingerprint. */
  card: bytes('card').primaryKey(),
  /** HMAC of what was paid back. */
  subscription: bytes('subscription').notNull(),
  usedAt: at('used_at').notNull(),
})

/** The provider’s events that had their effect. */
export const cardEvents = pgTable(
  'card_events',
  {
    id: text('id').primaryKey(),
    receivedAt: at('received_at').notNull(),
  },
  (table) => [index('card_events_received').on(table.receivedAt)],
)

/** Minutes of calls of an account in a UTC month, and what was reset in it. A send locks the row of `users`, and so not this one. */
export const monthlyUsage = pgTable('monthly_usage', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The first instant of the month that the counters belong to. */
  month: at('month').notNull(),
  voiceCallMinutes: integer('voice_call_minutes').notNull().default(0),
  videoCallMinutes: integer('video_call_minutes').notNull().default(0),
  /** Files that came before it are not counted as received; null if nobody has reset the counters in this month. */
  receivedSince: at('received_since'),
})

/** What the sandbox of the card provider remembers, so that a restart forgets no test subscription. Development alone. */
export const sandboxObjects = pgTable(
  'sandbox_objects',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    customer: text('customer'),
    body: jsonb('body').$type<Record<string, unknown>>().notNull(),
    place: bigint('place', { mode: 'number' }).generatedAlwaysAsIdentity(),
  },
  (table) => [index('sandbox_objects_customer').on(table.customer, table.kind)],
)
