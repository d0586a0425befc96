import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Privacy } from '../../../contract/people/privacy.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'

const PRIVACY = {
  presence: users.showsPresence,
  lastSeen: users.showsLastSeen,
  typing: users.showsTyping,
  receipts: users.showsReceipts,
}

/** Sets the switches that are named. Returns them all; undefined for a deleted account. */
export async function switchPrivacy(tx: Queryable, userId: string, change: { [Name in keyof Privacy]?: boolean | undefined }) {
  const isLiving = and(eq(users.id, userId), isNull(users.deletedAt))
  const [before] = await tx.select(PRIVACY).from(users).where(isLiving).for('no key update')
  if (!before) return undefined
  const named = Object.entries(change).filter(([, value]) => value !== undefined)
  const privacy: Privacy = { ...before, ...Object.fromEntries(named) }
  const isChanged = named.some(([name, value]) => before[name as keyof Privacy] !== value)
  if (isChanged)
    await tx
      .update(users)
      .set({
        showsPresence: privacy.presence,
        showsLastSeen: privacy.lastSeen,
        showsTyping: privacy.typing,
        showsReceipts: privacy.receipts,
      })
      .where(isLiving)
  return { privacy, isChanged }
}

export async function findSharing(db: Queryable, userId: string, others: string[]): Promise<string[]> {
  const own = db.select({ shows: users.showsTyping }).from(users).where(eq(users.id, userId))
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, others), users.showsTyping, sql`(${own})`))
  return rows.map(({ id }) => id)
}
