import { sql } from 'drizzle-orm'
import { bigint, boolean, check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/**
 * `contract/money/plans.ts` as rows, and one row for each package, for statements over many accounts. The SQL function `rights_of` reads it
 * for one account.
 */
export const planRights = pgTable('plan_rights', {
  /** The tier, or `package:` and the id of a package. */
  plan: text('plan').primaryKey(),
  /** The tier that an account with this plan shows. */
  tier: text('tier'),
  /** Version of the contract's table that this row comes from. */
  version: integer('version').notNull(),
  canSend: boolean('can_send').notNull(),
  canCall: boolean('can_call').notNull(),
  canShareFiles: boolean('can_share_files').notNull(),
  hasFamily: boolean('has_family').notNull(),
  /** -1 means no limit. */
  messagesPerMonth: integer('messages_per_month').notNull(),
  fileBytes: bigint('file_bytes', { mode: 'number' }).notNull(),
  /** Bytes of sealed files that are stored of an account; -1 means no limit. */
  storageBytes: bigint('storage_bytes', { mode: 'number' }).notNull().default(-1),
  /** In a UTC month, as the next one; -1 means no limit. */
  voiceCallMinutes: integer('voice_call_minutes').notNull().default(-1),
  videoCallMinutes: integer('video_call_minutes').notNull().default(-1),
})

/** What is sold beside the built-in plans. One that was ever bought stays, archived: ledger entries name it. */
export const premiumPackages = pgTable(
  'premium_packages',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    /** The tier whose rights it grants. */
    tier: text('tier').notNull(),
    /** US cents. */
    monthlyPrice: integer('monthly_price').notNull().default(0),
    yearlyPrice: integer('yearly_price').notNull().default(0),
    /** -1 means no limit, here and in the next three. */
    messagesLimit: integer('messages_limit').notNull().default(-1),
    fileStorageGB: integer('file_storage_gb').notNull().default(-1),
    voiceCallMinutes: integer('voice_call_minutes').notNull().default(-1),
    videoCallMinutes: integer('video_call_minutes').notNull().default(-1),
    advancedEncryption: boolean('advanced_encryption').notNull().default(false),
    prioritySupport: boolean('priority_support').notNull().default(false),
    customBranding: boolean('custom_branding').notNull().default(false),
    apiAccess: boolean('api_access').notNull().default(false),
    /** Prices at the card provider; null if it is sold by the prices above. */
    stripePriceIdMonthly: text('stripe_price_id_monthly'),
    stripePriceIdYearly: text('stripe_price_id_yearly'),
    isActive: boolean('is_active').notNull().default(true),
    displayOrder: integer('display_order').notNull().default(0),
    /** Since when it is archived: not sold, not shown for sale, and renewed for those who have it. */
    archivedAt: at('archived_at'),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  // The card provider takes no less.
  (table) => [
    check(
      'premium_packages_prices',
      sql`(${table.monthlyPrice} = 0 or ${table.monthlyPrice} >= 50) and (${table.yearlyPrice} = 0 or ${table.yearlyPrice} >= 50)`,
    ),
  ],
)
