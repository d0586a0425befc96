import { z } from 'zod'
import { type Assurance, endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { instant, nothing, userId } from '../ground/shapes.ts'
import { cardProviderShape } from '../money/payments.ts'
import { tierShape } from '../money/plans.ts'
import { ADMIN_LIMITS } from './adminlimits.ts'

/** An account as administrators see it: who it is and what it may do, nothing of its contacts, messages or payments. */
export const adminUserShape = z.object({
  id: userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  profileImageUrl: z.string().nullable(),
  isActive: z.boolean(),
  isAdmin: z.boolean(),
  /** The effective plan. */
  subscriptionTier: tierShape,
  createdAt: instant,
  /** The day on which the person was last here, as its first moment in UTC; null if never. */
  lastSeen: instant.nullable(),
})
export type AdminUser = z.infer<typeof adminUserShape>

/** The tiers that an administrator can give. Test and Master come from payments or the command line. */
export const grantedTier = z.enum(['free', 'premium', 'enterprise'])

export const USER_SORTS = ['joined', 'name', 'seen'] as const

/** A whole number in a query. */
const page = z.coerce.number().int().min(1).max(100_000).default(1)

/** Counts of people are not exact below `ADMIN_LIMITS.fewPeople`: null stands for fewer. */
const people = z.number().int().nonnegative().nullable()
const count = z.number().int().nonnegative()

const act = <Path extends `/${string}`>(path: Path, summary: string, assurance: Assurance = 'recent') =>
  endpoint({
    method: 'PUT',
    path,
    access: 'admin',
    assurance,
    rates: ['administration'],
    summary,
    input: z.object({ id: userId }),
    output: adminUserShape,
  })

export const adminApi = {
  first: endpoint({
    method: 'GET',
    path: '/api/admin/first',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Whether this server has an administrator. The first one is made from the command line.',
    input: nothing,
    output: z.object({ hasAdministrator: z.boolean() }),
  }),
  users: endpoint({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    summary:
      'A page of 20 accounts, and how many there are. `search` is part of a username or display name, in any case of letters.',
    input: z.object({
      page,
      search: z.string().trim().max(LIMITS.displayNameMax).default(''),
      tier: tierShape.optional(),
      state: z.enum(['active', 'inactive', 'admin']).optional(),
      sort: z.enum(USER_SORTS).default('joined'),
    }),
    output: z.object({ users: z.array(adminUserShape).max(LIMITS.adminPage), total: count }),
  }),
  deactivate: act(
    '/api/admin/users/:id/deactivate',
    'Blocks an account: its sessions and sockets end at once, and nobody signs in to it.',
  ),
  reactivate: act('/api/admin/users/:id/reactivate', 'Ends the block of an account.'),
  resetUsage: act(
    '/api/admin/users/:id/reset-usage',
    'Sets every counter of the month to 0: messages, files and minutes.',
    'account',
  ),
  makeAdmin: act('/api/admin/users/:id/make-admin', 'Makes an account an administrator.'),
  removeAdmin: act('/api/admin/users/:id/remove-admin', 'Takes the administrator’s rights. One administrator always stays.'),
  setTier: endpoint({
    method: 'PUT',
    path: '/api/admin/users/:id/subscription',
    access: 'admin',
    assurance: 'recent',
    rates: ['administration'],
    summary: 'Gives an account a plan from now on, without an end date.',
    input: z.object({ id: userId, tier: grantedTier }),
    output: adminUserShape,
  }),
  subscriptionStats: endpoint({
    method: 'GET',
    path: '/api/admin/subscription-stats',
    access: 'admin',
    summary: 'How many accounts have each plan now.',
    input: nothing,
    output: z.object({ free: count, test: count, premium: count, master: count, enterprise: count, total: count }),
  }),
  revenueStats: endpoint({
    method: 'GET',
    path: '/api/admin/revenue-stats',
    access: 'admin',
    summary: 'Income in US dollars, from the ledger: what is paid, refunds taken off. A plan that was given is none.',
    input: nothing,
    output: z.object({
      /** What the periods that run now bring in a month: a year counts a twelfth. */
      monthlyRecurringRevenue: z.number(),
      /** The same for each account, free ones included. */
      averageRevenuePerUser: z.number(),
      /** Accounts that have paid for Premium. */
      premiumSubscribers: count,
      premiumMRR: z.number(),
      /** Accounts whose plan was given to them. */
      granted: count,
      /** The last twelve UTC months, oldest first. A month that is over never changes. */
      months: z
        .array(
          z.object({
            month: z.iso.date().meta({ description: 'The first day' }),
            /** `monthlyRecurringRevenue` at the end of the month; for the current one, now. */
            recurring: z.number(),
            /** What was paid in that month. */
            paid: z.number(),
            /** What was paid back in that month. */
            refunded: z.number(),
          }),
        )
        .max(ADMIN_LIMITS.revenueMonths),
    }),
  }),
  cardProvider: endpoint({
    method: 'GET',
    path: '/api/admin/card-provider',
    access: 'admin',
    rates: ['administration'],
    summary: 'Asks the card provider whether it answers, and takes the key of this server.',
    input: nothing,
    output: z.object({
      provider: cardProviderShape,
      state: z.enum(['connected', 'unreachable', 'refused', 'off']),
      checkedAt: instant,
    }),
  }),
  analytics: endpoint({
    method: 'GET',
    path: '/api/admin/analytics',
    access: 'admin',
    summary:
      'Sums of each of the last 30 UTC days, and the plans of today. Fewer than ten people of a day are null, and so are the messages of fewer. Storage is counted hourly, null before the first time.',
    input: nothing,
    output: z.object({
      days: z
        .array(z.object({ day: z.iso.date(), signUps: people, active: people, messages: count.nullable() }))
        .max(ADMIN_LIMITS.analyticsDays),
      plans: z.array(z.object({ tier: tierShape, people: count })).max(tierShape.options.length),
      storageBytes: count.nullable(),
    }),
  }),
  system: endpoint({
    method: 'GET',
    path: '/api/admin/system',
    access: 'admin',
    summary: 'What runs here: versions, database, server processes, jobs, and what this process has answered.',
    input: nothing,
    output: z.object({
      contractVersion: count,
      nodeVersion: z.string(),
      databaseVersion: z.string(),
      databaseBytes: count,
      migrations: count,
      startedAt: instant,
      /** Server processes on this database. */
      processes: count,
      /** Open sockets of this process. */
      sockets: count,
      /** Answers of this process since its start, and how many of them were errors of the server. */
      answers: count,
      errors: count,
      jobs: z.array(z.object({ name: z.string(), lastStartedAt: instant, outcome: z.string() })).max(100),
      checks: z
        .array(
          z.object({
            name: z.enum(['ledger', 'provider']),
            finishedAt: instant,
            looked: count,
            differing: count,
            mended: count,
            lines: z.array(z.string()).max(ADMIN_LIMITS.checkLines),
          }),
        )
        .max(2),
      /** null without cards. */
      cards: z
        .object({
          lastEventAt: instant.nullable(),
          /** Their signature was wrong. */
          refusedEvents: count,
          lastRefusedAt: instant.nullable(),
          /** The newest first, without the provider's words. */
          errors: z
            .array(
              z.object({
                at: instant,
                type: z.string(),
                code: z.string().optional(),
                param: z.string().optional(),
                requestId: z.string().optional(),
              }),
            )
            .max(ADMIN_LIMITS.cardErrors),
        })
        .nullable(),
    }),
  }),
}
