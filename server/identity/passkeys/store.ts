import { and, asc, eq, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { passkeys, usedChallenges } from '../../ground/db/schema/passkeys.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

export async function findPasskeys(db: Queryable, userId: string): Promise<PasskeyRow[]> {
  return await db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.createdAt), asc(passkeys.id))
}

export async function findPasskey(db: Queryable, userId: string, id: string): Promise<PasskeyRow | undefined> {
  const [row] = await db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
  return row
}

/** Returns false for an existing passkey. */
export async function insertPasskey(tx: Queryable, row: typeof passkeys.$inferInsert): Promise<boolean> {
  const made = await tx.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id })
  if (made.length > 0) await tx.update(users).set({ hasBiometrics: true }).where(eq(users.id, row.userId))
  return made.length > 0
}

/** Returns false for an unknown passkey. */
export async function updateName(tx: Queryable, userId: string, id: string, name: string): Promise<boolean> {
  const renamed = await tx
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning({ id: passkeys.id })
  return renamed.length === 1
}

/** Returns the number. */
export async function deletePasskeys(tx: Queryable, userId: string, ids: string[]): Promise<number> {
  const gone = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), inArray(passkeys.id, ids)))
    .returning({ id: passkeys.id })
  const isLeft = sql<boolean>`exists (select from ${passkeys} where ${passkeys.userId} = ${userId})`
  if (gone.length > 0) await tx.update(users).set({ hasBiometrics: isLeft }).where(eq(users.id, userId))
  return gone.length
}

/** Returns false for a removed passkey, or unless the counter grows or stays 0. */
export async function countUse(tx: Queryable, userId: string, id: string, counter: number, now: Date): Promise<boolean> {
  const grows = or(lt(passkeys.counter, counter), and(eq(passkeys.counter, 0), sql`${counter}::bigint = 0`))
  const used = await tx
    .update(passkeys)
    .set({ counter, lastUsedAt: now })
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id), grows))
    .returning({ id: passkeys.id })
  return used.length === 1
}

export async function countPasskeys(db: Queryable, userId: string): Promise<number> {
  return await db.$count(passkeys, eq(passkeys.userId, userId))
}

export async function setFactor(tx: Queryable, userId: string, biometricEnabled: boolean): Promise<void> {
  await tx.update(users).set({ biometricEnabled }).where(eq(users.id, userId))
}

export async function insertChallenge(tx: Queryable, challengeHash: Buffer, expiresAt: Date): Promise<boolean> {
  const made = await tx
    .insert(usedChallenges)
    .values({ challengeHash, expiresAt })
    .onConflictDoNothing()
    .returning({ challengeHash: usedChallenges.challengeHash })
  return made.length === 1
}

/** Returns the number. */
export async function deleteChallenges(db: Queryable, now: Date, atMost: number): Promise<number> {
  const old = db
    .select({ challengeHash: usedChallenges.challengeHash })
    .from(usedChallenges)
    .where(lte(usedChallenges.expiresAt, now))
    .limit(atMost)
    .for('update', { skipLocked: true })
  const gone = await db
    .delete(usedChallenges)
    .where(inArray(usedChallenges.challengeHash, old))
    .returning({ challengeHash: usedChallenges.challengeHash })
  return gone.length
}
