import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { ReviewOutcome, ReviewReason } from '../../../../contract/money/coinreviews.ts'
import type { CoinStatus, Currency } from '../../../../contract/money/coins.ts'
import { users } from './account.ts'
import { at } from './columns.ts'

/** Payment requests in coins. Amounts are integers in the smallest unit, as text, because those of Ethereum exceed 64 bits. */
export const cryptoPayments = pgTable(
  'crypto_payments',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** Null for the built-in plan of that tier. */
    packageId: uuid('package_id'),
    /** What the package gave when it was asked for. */
    tier: text('tier').notNull(),
    billingPeriod: text('billing_period').$type<'monthly' | 'yearly'>().notNull(),
    currency: text('currency').$type<Currency>().notNull(),
    amount: text('amount').notNull(),
    usdCents: bigint('usd_cents', { mode: 'number' }).notNull(),
    /** 10^-8 dollars for a coin, as text. */
    rate: text('rate').notNull(),
    /** Money that came too late or too much goes back there. */
    walletAddress: text('wallet_address'),
    paymentAddress: text('payment_address').notNull(),
    /** Its number in the operator's wallet; null for requests of before it was kept. */
    addressIndex: integer('address_index'),
    /** What counts of what has come, in the order in which it came. */
    received: text('received').notNull().default('0'),
    transactionHash: text('transaction_hash'),
    /** By which money of it was sent back, as far as an administrator has noted it. */
    refundTransaction: text('refund_transaction'),
    /** The transaction that the payer has named, while it is looked for, and since when. */
    namedTransaction: text('named_transaction'),
    namedAt: at('named_at'),
    blockConfirmations: integer('block_confirmations').notNull().default(0),
    status: text('status').$type<CoinStatus>().notNull().default('pending'),
    decided: text('decided').$type<CoinStatus>(),
    expiresAt: at('expires_at').notNull(),
    confirmedAt: at('confirmed_at'),
    /** `asked`: the payer knows that the card ends. From the credit until it has: `due`, or `same` for a card of this very plan. */
    endsCard: text('ends_card').$type<'asked' | 'due' | 'same'>(),
    createdAt: at('created_at').notNull(),
    /** Everything up to this block is read and settled; the balance of Ethereum's own coin there. */
    scannedHeight: integer('scanned_height').notNull(),
    nativeUnits: text('native_units').notNull().default('0'),
    /** Counts the looks at the chain: of two at the same time the earlier is dropped. */
    looks: integer('looks').notNull().default(0),
    lookedAt: at('looked_at'),
    /** An address is looked at for ever, ever more rarely. */
    nextLookAt: at('next_look_at').notNull(),
  },
  (table) => [
    // An address is given out once.
    uniqueIndex('crypto_payments_address').on(sql`lower(${table.paymentAddress})`),
    index('crypto_payments_user').on(table.userId, table.createdAt),
    // The list of addresses begins with the newest.
    index('crypto_payments_created').on(table.createdAt, table.id),
    index('crypto_payments_next_look').on(table.nextLookAt),
    index('crypto_payments_ends_card').on(table.userId).where(sql`${table.endsCard} in ('due', 'same')`),
    index('crypto_payments_package').on(table.packageId).where(sql`${table.packageId} is not null`),
  ],
)

/** The number of the next address of each chain. It only grows. */
export const cryptoIndexes = pgTable('crypto_indexes', {
  chain: text('chain').$type<'bitcoin' | 'ethereum'>().primaryKey(),
  nextIndex: integer('next_index').notNull(),
})

/** What came to the addresses: outputs, logs of tokens, rises of balances. Each is of one payment and counts once. */
export const cryptoArrivals = pgTable(
  'crypto_arrivals',
  {
    id: uuid('id').primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => cryptoPayments.id, { onDelete: 'cascade' }),
    chain: text('chain').$type<'bitcoin' | 'ethereum'>().notNull(),
    /** The transaction and the place in it. */
    reference: text('reference').notNull(),
    index: integer('index').notNull(),
    /** A currency, or the contract of another token. */
    asset: text('asset').notNull(),
    units: text('units').notNull(),
    height: integer('height'),
    blockHash: text('block_hash'),
    firstSeenAt: at('first_seen_at').notNull(),
    /** False if it came after the time of the request. */
    isInTime: boolean('is_in_time').notNull(),
    /** True if the chain does not show it any more: it was replaced, or its block was. */
    isGone: boolean('is_gone').notNull().default(false),
    /** True if the plan was credited for it. */
    isCredited: boolean('is_credited').notNull().default(false),
  },
  (table) => [
    unique('crypto_arrivals_once').on(table.chain, table.reference, table.index),
    index('crypto_arrivals_payment').on(table.paymentId),
  ],
)

/** Money that needs a person. */
export const cryptoReviews = pgTable(
  'crypto_reviews',
  {
    id: uuid('id').primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => cryptoPayments.id),
    reason: text('reason').$type<ReviewReason>().notNull(),
    /** What it is about: an arrival, or the payment. */
    about: text('about').notNull(),
    asset: text('asset').notNull(),
    units: text('units').notNull(),
    createdAt: at('created_at').notNull(),
    /** What the person did; null while it waits. `returned`: the chain shows the money again. */
    outcome: text('outcome').$type<ReviewOutcome | 'returned'>(),
    /** By which the money was sent back. */
    refundTransaction: text('refund_transaction'),
    resolvedAt: at('resolved_at'),
    resolvedBy: text('resolved_by'),
  },
  (table) => [
    unique('crypto_reviews_once').on(table.paymentId, table.reason, table.about),
    index('crypto_reviews_open').on(table.createdAt).where(sql`${table.outcome} is null`),
  ],
)
