import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { at, bytes, changedIn } from './columns.ts'
import { premiumPackages } from './plans.ts'

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    username: text('username').notNull(),
    displayName: text('display_name').notNull(),
    /** SHA-256 of the authSecret [Note: P1]. */
    passwordHash: bytes('password_hash').notNull(),
    passwordSalt: bytes('password_salt').notNull(),
    onionAddress: text('onion_address').unique(),
    avatar: text('avatar'),
    /** The account's Ed25519 identity key; null until a browser has made keys. */
    publicKey: bytes('public_key'),
    hasBiometrics: boolean('has_biometrics').notNull().default(false),
    biometricEnabled: boolean('biometric_enabled').notNull().default(false),
    email: text('email'),
    profileImageUrl: text('profile_image_url'),
    isAdmin: boolean('is_admin').notNull().default(false),
    isActive: boolean('is_active').notNull().default(true),
    deactivatedAt: at('deactivated_at'),
    deactivatedBy: uuid('deactivated_by'),
    /** These five are what the ledger says, kept here for the message path. Only `server/money/ledger/` writes them. */
    subscriptionTier: text('subscription_tier').notNull().default('free'),
    subscriptionStatus: text('subscription_status').notNull().default('active'),
    subscriptionStartDate: at('subscription_start_date'),
    subscriptionEndDate: at('subscription_end_date'),
    /** The package whose numbers count; null for a built-in plan. */
    subscriptionPackageId: uuid('subscription_package_id').references(() => premiumPackages.id),
    /** The currency that the person chose last. */
    preferredCryptoCurrency: text('preferred_crypto_currency').notNull().default('bitcoin'),
    /** The person's own words: money that came too late or too much goes back there. */
    cryptoWalletAddress: text('crypto_wallet_address'),
    /** The owner of the family circle, whose plan gives this account Premium's rights. */
    masterAccountId: uuid('master_account_id'),
    isMasterInvitee: boolean('is_master_invitee').notNull().default(false),
    invitedByMaster: uuid('invited_by_master'),
    inviteeJoinedAt: at('invitee_joined_at'),
    /** True: that person sees when this one is online. */
    showsFamilyOnline: boolean('shows_family_online').notNull().default(false),
    monthlyMessagesCount: integer('monthly_messages_count').notNull().default(0),
    /** Silent messages, of an account whose plan limits the others. */
    monthlySilentCount: integer('monthly_silent_count').notNull().default(0),
    /** The first instant of the UTC month that both counters belong to. */
    usageResetDate: at('usage_reset_date').notNull(),
    /** SHA-256 of the secret that the recovery kit proves itself with; null without a kit [Note: K1]. */
    kitHash: bytes('kit_hash'),
    /** When the account was deleted. The row stays, without personal data, so that others keep their chats. */
    deletedAt: at('deleted_at'),
    createdAt: at('created_at').notNull(),
    /** What the person shares with contacts who share it too. */
    showsPresence: boolean('shows_presence').notNull().default(true),
    showsLastSeen: boolean('shows_last_seen').notNull().default(true),
    showsTyping: boolean('shows_typing').notNull().default(true),
    showsReceipts: boolean('shows_receipts').notNull().default(true),
    /** Calls ring closed browsers, by a push. */
    ringsClosed: boolean('rings_closed').notNull().default(true),
    /** What everybody in a common room is shown: names, keys, deletion. */
    profileChangedIn: changedIn('profile_changed_in'),
    /** What mutual contacts alone are shown: the photo. */
    photoChangedIn: changedIn('photo_changed_in'),
  },
  (table) => [
    uniqueIndex('users_username_lower').on(sql`lower(${table.username})`),
    // The job that ends plans looks them up.
    index('users_subscription_end').on(table.subscriptionEndDate),
    index('users_master').on(table.masterAccountId),
    index('users_joined').on(table.createdAt),
    // The few administrators, and the few who have a package.
    index('users_admins').on(table.id).where(sql`${table.isAdmin}`),
    index('users_package').on(table.subscriptionPackageId).where(sql`${table.subscriptionPackageId} is not null`),
    index('users_changed').on(sql`greatest(${table.profileChangedIn}, ${table.photoChangedIn})`),
  ],
)

/** HMAC (server secret `names`) of the lower-case names of deleted accounts, which are never issued again [Note: I1]. */
export const retiredNames = pgTable('retired_names', {
  nameHash: bytes('name_hash').primaryKey(),
})
