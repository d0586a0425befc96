import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'

/** The plan that counts for the account at that time; null where it is unknown. */
const planAt = (now: Date) => sql<string | null>`(select plan from rights_of(${users.id}, ${now}::timestamptz))`

export async function findPlan(db: Queryable, userId: string, now: Date): Promise<string | null> {
  const [row] = await db
    .select({ plan: planAt(now) })
    .from(users)
    .where(eq(users.id, userId))
  return row?.plan ?? null
}

/** Every account with the plan that it was given and the one that counts, by name. */
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

/** Gives the account of that name, regardless of case, this subscription. Answers it; undefined where nobody has the name. */
export async function saveSubscription(db: Queryable, username: string, subscription: Subscription) {
  const [row] = await db
    .update(users)
    .set(subscription)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), isNull(users.deletedAt)))
    .returning({ userId: users.id, username: users.username })
  return row
}
