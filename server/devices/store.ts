import { and, eq, inArray, isNotNull, notInArray, sql } from 'drizzle-orm'
import type { Signed } from '../../contract/shapes.ts'
import type { Queryable } from '../db/connect.ts'
import { books, devices, keyrings, manifests, sessions, users } from '../db/schema.ts'

/** The account's identity, locked until the transaction ends: changes of keys come one after another. */
export async function lockIdentity(db: Queryable, userId: string) {
  const [row] = await db.select({ publicKey: users.publicKey }).from(users).where(eq(users.id, userId)).for('update')
  return row
}

export async function setIdentity(db: Queryable, userId: string, publicKey: Buffer, onionAddress: string): Promise<void> {
  await db.update(users).set({ publicKey, onionAddress }).where(eq(users.id, userId))
}

export async function findDocuments(db: Queryable, userId: string) {
  const [row] = await db
    .select({
      publicKey: users.publicKey,
      keyring: { version: keyrings.version, content: keyrings.content, signature: keyrings.signature },
      manifest: { version: manifests.version, content: manifests.content, signature: manifests.signature },
    })
    .from(users)
    .leftJoin(keyrings, eq(keyrings.userId, users.id))
    .leftJoin(manifests, eq(manifests.userId, users.id))
    .where(eq(users.id, userId))
  return row
}

interface Documents {
  keyring: Signed
  keyringVersion: number
  manifest: Signed
  manifestVersion: number
}

export async function saveDocuments(db: Queryable, userId: string, documents: Documents): Promise<void> {
  const keyring = { version: documents.keyringVersion, ...documents.keyring }
  const manifest = { version: documents.manifestVersion, ...documents.manifest }
  await db
    .insert(keyrings)
    .values({ userId, ...keyring })
    .onConflictDoUpdate({ target: keyrings.userId, set: keyring })
  await db
    .insert(manifests)
    .values({ userId, ...manifest })
    .onConflictDoUpdate({ target: manifests.userId, set: manifest })
}

export async function deviceIds(db: Queryable, userId: string): Promise<string[]> {
  const rows = await db.select({ id: devices.id }).from(devices).where(eq(devices.userId, userId))
  return rows.map((row) => row.id)
}

/** Makes the device unless it is there. Answers whether it was made. */
export async function insertDevice(db: Queryable, userId: string, id: string, unlockSecret: Buffer, now: Date): Promise<boolean> {
  const made = await db
    .insert(devices)
    .values({ userId, id, unlockSecret, addedAt: now, lastSeenAt: now })
    .onConflictDoNothing()
    .returning({ id: devices.id })
  return made.length === 1
}

/** Deletes every device but these; their key packages go with them. */
export async function deleteOtherDevices(db: Queryable, userId: string, kept: string[]): Promise<void> {
  await db.delete(devices).where(and(eq(devices.userId, userId), notInArray(devices.id, kept)))
}

/** The unlock secret of a device that still has one; marks the device as seen. */
export async function takeUnlock(db: Queryable, userId: string, id: string, now: Date): Promise<Buffer | undefined> {
  const [row] = await db
    .update(devices)
    .set({ lastSeenAt: now })
    .where(and(eq(devices.userId, userId), eq(devices.id, id), isNotNull(devices.unlockSecret)))
    .returning({ unlockSecret: devices.unlockSecret })
  return row?.unlockSecret ?? undefined
}

export async function deleteUnlock(db: Queryable, userId: string, id: string): Promise<void> {
  await db
    .update(devices)
    .set({ unlockSecret: null })
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
}

/** The sessions that speak for these devices, as hex hashes. */
export async function sessionsOfDevices(db: Queryable, userId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), inArray(sessions.deviceId, ids)))
  return rows.map((row) => row.tokenHash.toString('hex'))
}

export async function findBook(db: Queryable, userId: string) {
  const [row] = await db.select().from(books).where(eq(books.userId, userId))
  return row
}

/** Compare-and-set: false where the stored version is not the one before. */
export async function saveBook(db: Queryable, row: typeof books.$inferInsert): Promise<boolean> {
  const { userId, ...book } = row
  if (row.version === 1) {
    const made = await db.insert(books).values(row).onConflictDoNothing().returning({ version: books.version })
    return made.length === 1
  }
  const saved = await db
    .update(books)
    .set(book)
    .where(and(eq(books.userId, userId), eq(books.version, row.version - 1)))
    .returning({ version: books.version })
  return saved.length === 1
}

/** Whether a contact row that is not blocked joins the two, in either direction. */
export async function areAcquainted(db: Queryable, a: string, b: string): Promise<boolean> {
  const { rows } = await db.execute<{ known: boolean }>(sql`
    select exists (
      select from contacts
      where not is_blocked and ((user_id = ${a} and contact_user_id = ${b}) or (user_id = ${b} and contact_user_id = ${a}))
    ) as known`)
  return rows[0]?.known ?? false
}
