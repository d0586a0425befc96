import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'

/** The effective plan of the account at that time; null for an unknown plan. */
const planAt = (now: Date) => sql<string | null>`(select plan from rights_of(${users.id}, ${now}::timestamptz))`

export async function findPlan(db: Queryable, userId: string, now: Date): Promise<string | null> {
  const [row] = await db
    .select({ plan: planAt(now) })
    .from(users)
    .where(eq(users.id, userId))
  return row?.plan ?? null
}

/** Lists all accounts with their given and effective plan, ordered by username. */
export function listPlans(db: Queryable, now: Date) {
  return db
    .select({
      username: users.username,
      isAdmin: users.isAdmin,
      isActive: users.isActive,
      given: users.subscriptionTier,
      endDate: users.subscriptionEndDate,
      plan: planAt(now),
    })
    .from(users)
    .where(isNull(users.deletedAt))
    .orderBy(asc(sql`lower(${users.username})`))
}

type Subscription = Pick<
  typeof users.$inferInsert,
  'subscriptionTier' | 'subscriptionStatus' | 'subscriptionStartDate' | 'subscriptionEndDate'
>

/** Stores the subscription of the account with that name in any case. Returns the account; undefined if there is none. */
export async function saveSubscription(db: Queryable, username: string, subscription: Subscription) {
  const [row] = await db
    .update(users)
    .set(subscription)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), isNull(users.deletedAt)))
    .returning({ userId: users.id, username: users.username })
  return row
}
