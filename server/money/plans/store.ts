import { asc, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'

/** The effective tier of the account at that time; null for an unknown plan. */
const tierAt = (now: Date) => sql<string | null>`(select tier from rights_of(${users.id}, ${now}::timestamptz))`

export async function findTier(db: Queryable, userId: string, now: Date): Promise<string | null> {
  const [row] = await db
    .select({ tier: tierAt(now) })
    .from(users)
    .where(eq(users.id, userId))
  return row?.tier ?? null
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
      tier: tierAt(now),
    })
    .from(users)
    .where(isNull(users.deletedAt))
    .orderBy(asc(sql`lower(${users.username})`))
}
