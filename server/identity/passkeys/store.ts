import { and, asc, eq, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { passkeys, usedChallenges } from '../../ground/db/schema/passkeys.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

/** Returns the account's passkeys, oldest first. */
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

/** Inserts a passkey. Returns false if the account has it already. */
export async function insertPasskey(tx: Queryable, row: typeof passkeys.$inferInsert): Promise<boolean> {
  const made = await tx.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id })
  if (made.length > 0) await tx.update(users).set({ hasBiometrics: true }).where(eq(users.id, row.userId))
  return made.length > 0
}

/** Sets a passkey's name. Returns false if the account has no such passkey. */
export async function updateName(tx: Queryable, userId: string, id: string, name: string): Promise<boolean> {
  const renamed = await tx
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning({ id: passkeys.id })
  return renamed.length === 1
}

/** Deletes these passkeys. Returns how many there were. */
export async function deletePasskeys(tx: Queryable, userId: string, ids: string[]): Promise<number> {
  const gone = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), inArray(passkeys.id, ids)))
    .returning({ id: passkeys.id })
  const isLeft = sql<boolean>`exists (select from ${passkeys} where ${passkeys.userId} = ${userId})`
  if (gone.length > 0) await tx.update(users).set({ hasBiometrics: isLeft }).where(eq(users.id, userId))
  return gone.length
}

/**
 * Stores that a passkey has signed in with this counter, which must be greater than the last one, or 0 where it was 0. Returns
 * false for any other, and for a passkey that was removed.
 */
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

/** Sets whether the account's password needs a passkey beside it. */
export async function setFactor(tx: Queryable, userId: string, biometricEnabled: boolean): Promise<void> {
  await tx.update(users).set({ biometricEnabled }).where(eq(users.id, userId))
}

/** Inserts the hash of a signed challenge. Returns false if it is there. */
export async function insertChallenge(tx: Queryable, challengeHash: Buffer, expiresAt: Date): Promise<boolean> {
  const made = await tx
    .insert(usedChallenges)
    .values({ challengeHash, expiresAt })
    .onConflictDoNothing()
    .returning({ challengeHash: usedChallenges.challengeHash })
  return made.length === 1
}

/** Deletes up to `atMost` challenges that have expired. Returns how many. */
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
