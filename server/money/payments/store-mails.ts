import { and, asc, eq, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { cardAccounts as cards } from '../../ground/db/schema/payments.ts'

const DAY_MS = 24 * 60 * 60_000

/** True for a renewal of which no mail was tried. */
const isNew = sql<boolean>`${cards.mailAbout} is distinct from ${cards.failedSince}`

export async function findUnmailed(db: Queryable, providerId: number, now: Date, limit: number) {
  const graceFrom = new Date(now.getTime() - PLAN_LIMITS.graceDays * DAY_MS)
  const rows = await db
    .select({
      userId: cards.userId,
      failedSince: cards.failedSince,
      tries: sql<number>`case when ${isNew} then 0 else ${cards.mailTries} end`,
    })
    .from(cards)
    .innerJoin(users, eq(users.id, cards.userId))
    .where(
      and(
        ...[eq(cards.providerId, providerId), gt(cards.failedSince, graceFrom), eq(cards.status, 'past_due')],
        ...[isNotNull(users.email), eq(users.isActive, true), or(isNew, lte(cards.mailNextAt, now))],
      ),
    )
    .orderBy(asc(cards.failedSince), asc(cards.userId))
    .limit(limit)
  return rows.flatMap(({ failedSince, ...row }) => (failedSince ? [{ ...row, failedSince }] : []))
}

interface Try {
  providerId: number
  userId: string
  failedSince: Date
  tries: number
  nextAt: Date | null
}

/** Returns undefined if another server has it, or nothing is left to mail. */
export async function claimMail(db: Queryable, { providerId, userId, failedSince, tries, nextAt }: Try) {
  const isSame = tries === 0 ? or(isNull(cards.mailAbout), ne(cards.mailAbout, failedSince)) : eq(cards.mailTries, tries)
  const [row] = await db
    .update(cards)
    .set({ mailAbout: failedSince, mailTries: tries + 1, mailNextAt: nextAt })
    .from(users)
    .where(
      and(
        ...[eq(users.id, cards.userId), isNotNull(users.email), eq(users.isActive, true), eq(cards.userId, userId)],
        ...[eq(cards.providerId, providerId), eq(cards.failedSince, failedSince), eq(cards.status, 'past_due'), isSame],
      ),
    )
    .returning({ address: sql<string>`${users.email}` })
  return row
}

export async function endMail(db: Queryable, providerId: number, userId: string, about: Date): Promise<void> {
  await db
    .update(cards)
    .set({ mailNextAt: null })
    .where(and(eq(cards.userId, userId), eq(cards.providerId, providerId), eq(cards.mailAbout, about)))
}
