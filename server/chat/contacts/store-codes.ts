import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { contactCodeUses, contactQrCodes } from '../../ground/db/schema/codes.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'

/** Returns the user's code that is neither replaced nor expired. */
export async function findValidCode(db: Queryable, userId: string, now: Date) {
  const [code] = await db
    .select()
    .from(contactQrCodes)
    .where(and(eq(contactQrCodes.userId, userId), contactQrCodes.isActive, gt(contactQrCodes.expiresAt, now)))
  return code
}

/** Any constant: the first key of the advisory locks of people who make codes. */
const MAKING = 7_202_601

/** Ends the user's code. Two tabs that make codes at once take turns until their transactions end. */
export async function replaceCodes(tx: Queryable, userId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${MAKING}, hashtext(${userId}))`)
  await tx
    .update(contactQrCodes)
    .set({ isActive: false })
    .where(and(eq(contactQrCodes.userId, userId), contactQrCodes.isActive))
}

export async function insertCode(tx: Queryable, row: typeof contactQrCodes.$inferInsert): Promise<void> {
  await tx.insert(contactQrCodes).values(row)
}

/** Returns the code with this token, valid or not. */
export async function findCode(db: Queryable, qrToken: string) {
  const [code] = await db.select().from(contactQrCodes).where(eq(contactQrCodes.qrToken, qrToken))
  return code
}

/** Like `findCode`; locks the code until the transaction ends, so that people who redeem it take turns. */
export async function lockCode(tx: Queryable, qrToken: string) {
  const [code] = await tx.select().from(contactQrCodes).where(eq(contactQrCodes.qrToken, qrToken)).for('update')
  return code
}

export async function countUse(tx: Queryable, codeId: string): Promise<void> {
  const usageCount = sql`${contactQrCodes.usageCount} + 1`
  await tx.update(contactQrCodes).set({ usageCount }).where(eq(contactQrCodes.id, codeId))
}

/** Notes a use, in the place of an earlier one of the same person. A proof is kept if the person only pastes the token later. */
export async function putUse(tx: Queryable, row: typeof contactCodeUses.$inferInsert): Promise<void> {
  const { id, qrToken, usedAt, proof = null } = row
  const isSameCode = sql`${contactCodeUses.qrToken} = ${qrToken}`
  const kept = sql`case when ${isSameCode} then coalesce(excluded.proof, ${contactCodeUses.proof}) else excluded.proof end`
  await tx
    .insert(contactCodeUses)
    .values({ ...row, proof })
    .onConflictDoUpdate({
      target: [contactCodeUses.ownerId, contactCodeUses.userId],
      set: { id, qrToken, usedAt, proof: kept },
    })
}

/** Deletes all but the owner's newest ones. */
export async function trimUses(tx: Queryable, ownerId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from contact_code_uses where id = any(array(
      select id from contact_code_uses where owner_id = ${ownerId} order by used_at desc, id offset ${kept} for update skip locked))`)
}

/** Returns the uses of the owner's codes, newest first. People who have deleted their account or are blocked are left out. */
export async function findUses(db: Queryable, ownerId: string) {
  return await db
    .select({
      ...{
        id: contactCodeUses.id,
        qrToken: contactCodeUses.qrToken,
        usedAt: contactCodeUses.usedAt,
        proof: contactCodeUses.proof,
      },
      ...{ userId: users.id, username: users.username, displayName: users.displayName, publicKey: users.publicKey },
      contactId: contacts.id,
    })
    .from(contactCodeUses)
    .innerJoin(users, and(eq(users.id, contactCodeUses.userId), users.isActive))
    .leftJoin(contacts, and(eq(contacts.userId, contactCodeUses.ownerId), eq(contacts.contactUserId, contactCodeUses.userId)))
    .where(and(eq(contactCodeUses.ownerId, ownerId), sql`${contacts.isBlocked} is not true`))
    .orderBy(desc(contactCodeUses.usedAt), contactCodeUses.id)
    .limit(LIMITS.codeUsesMax)
}

/** Deletes one use of the owner's codes. Returns false if it is not there. */
export async function deleteUse(db: Queryable, ownerId: string, useId: string): Promise<boolean> {
  const isIt = and(eq(contactCodeUses.id, useId), eq(contactCodeUses.ownerId, ownerId))
  return (await db.delete(contactCodeUses).where(isIt).returning({ id: contactCodeUses.id })).length > 0
}

/** Deletes up to `atMost` codes that have expired, and as many uses, up to this time. Returns the greater number of the two. */
export async function deleteOldCodes(db: Queryable, upTo: Date, usesUpTo: Date, atMost: number): Promise<number> {
  const codes = db
    .select({ id: contactQrCodes.id })
    .from(contactQrCodes)
    .where(lte(contactQrCodes.expiresAt, upTo))
    .limit(atMost)
    .for('update', { skipLocked: true })
  const uses = db
    .select({ id: contactCodeUses.id })
    .from(contactCodeUses)
    .where(lte(contactCodeUses.usedAt, usesUpTo))
    .limit(atMost)
    .for('update', { skipLocked: true })
  const old = await db.delete(contactQrCodes).where(inArray(contactQrCodes.id, codes)).returning({ id: contactQrCodes.id })
  const unanswered = await db
    .delete(contactCodeUses)
    .where(inArray(contactCodeUses.id, uses))
    .returning({ id: contactCodeUses.id })
  return Math.max(old.length, unanswered.length)
}
