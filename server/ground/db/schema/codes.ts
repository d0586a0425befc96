import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

export const contactQrCodes = pgTable(
  'contact_qr_codes',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    qrToken: text('qr_token').notNull().unique('contact_qr_codes_token'),
    expiresAt: at('expires_at').notNull(),
    /** False if a newer code has replaced this one. */
    isActive: boolean('is_active').notNull().default(true),
    usageCount: integer('usage_count').notNull().default(0),
    /** Null: any number of people. */
    maxUsage: integer('max_usage'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('contact_qr_codes_active').on(table.userId).where(sql`${table.isActive}`),
    index('contact_qr_codes_user').on(table.userId),
    index('contact_qr_codes_age').on(table.expiresAt),
  ],
)

/** Who has redeemed a code, until its owner has answered whether that was the person there [Note: I2]. */
export const contactCodeUses = pgTable(
  'contact_code_uses',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    qrToken: text('qr_token').notNull(),
    proof: bytes('proof'),
    usedAt: at('used_at').notNull(),
  },
  (table) => [
    // The newest use of a person takes the place of the one before.
    unique('contact_code_uses_pair').on(table.ownerId, table.userId),
    index('contact_code_uses_user').on(table.userId),
    index('contact_code_uses_age').on(table.usedAt),
  ],
)
