import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { users } from '../../ground/db/schema/account.ts'

type Row = typeof users.$inferSelect

/** Returns the account with that name, regardless of case; undefined for a deleted account. */
export async function findByUsername(db: Queryable, username: string): Promise<Row | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), isNull(users.deletedAt)))
  return row
}

/** True if the row's secrets are still the account's and it may sign in. They cannot change until the transaction ends. */
export async function holdSecrets(db: Queryable, { id, passwordHash, kitHash, biometricEnabled }: Row): Promise<boolean> {
  const [now] = await db.select().from(users).where(eq(users.id, id)).for('share')
  return (
    now?.isActive === true &&
    now.deletedAt === null &&
    now.passwordHash.equals(passwordHash) &&
    now.biometricEnabled === biometricEnabled &&
    (now.kitHash === kitHash || (now.kitHash !== null && kitHash !== null && now.kitHash.equals(kitHash)))
  )
}

export async function findById(db: Queryable, userId: string): Promise<Row | undefined> {
  const [row] = await account(db, { userId })
  return row
}

const account = named((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('userId')))
    .prepare('account'),
)

export async function insertUser(db: Queryable, row: typeof users.$inferInsert): Promise<Row> {
  const [user] = await db.insert(users).values(row).returning()
  if (!user) throw new Error('The account was not stored')
  return user
}

export async function replaceVerifier(db: Queryable, userId: string, passwordHash: Buffer): Promise<void> {
  await db.update(users).set({ passwordHash }).where(eq(users.id, userId))
}

/** Sets these columns of a living account. Returns the row and the name that it had before; undefined for a deleted account. */
export async function replaceProfile(tx: Queryable, userId: string, profile: { displayName: string; email?: string | null }) {
  const isLiving = and(eq(users.id, userId), isNull(users.deletedAt))
  const [before] = await tx.select({ displayName: users.displayName }).from(users).where(isLiving).for('no key update')
  const [row] = await tx.update(users).set(profile).where(isLiving).returning()
  return row && before && { row, nameBefore: before.displayName }
}

/** Returns a living account, which nobody else changes until the transaction ends. */
export async function holdById(tx: Queryable, userId: string): Promise<Row | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('no key update')
  return row
}

export async function replacePhoto(tx: Queryable, userId: string, profileImageUrl: string | null): Promise<Row> {
  const [row] = await tx.update(users).set({ profileImageUrl }).where(eq(users.id, userId)).returning()
  if (!row) throw new Error('The account has gone while it was locked')
  return row
}
