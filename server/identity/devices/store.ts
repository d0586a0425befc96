import { and, asc, desc, eq, inArray, isNull, lte, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { books, devices, historySeals, keyrings, manifests, manifestVersions } from '../../ground/db/schema/devices.ts'

/** The lock makes key changes run one after another. */
export async function lockIdentity(db: Queryable, userId: string) {
  const [row] = await db
    .select({
      username: sql<string>`lower(${users.username})`,
      publicKey: users.publicKey,
      passwordHash: users.passwordHash,
      kitHash: users.kitHash,
      biometricEnabled: users.biometricEnabled,
    })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('update')
  return row
}

export async function setIdentity(db: Queryable, userId: string, publicKey: Buffer, onionAddress: string): Promise<void> {
  await db.update(users).set({ publicKey, onionAddress }).where(eq(users.id, userId))
}

export async function replaceKit(db: Queryable, userId: string, kitHash: Buffer | null): Promise<void> {
  await db.update(users).set({ kitHash }).where(eq(users.id, userId))
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
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
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
  await db.insert(manifestVersions).values({ userId, ...manifest })
  const isOld = lte(manifestVersions.version, manifest.version - LIMITS.manifestVersions)
  await db.delete(manifestVersions).where(and(eq(manifestVersions.userId, userId), isOld))
}

/** Returns the version asked for, else `upTo`, else the oldest that is kept. */
export async function findKeptManifest(db: Queryable, userId: string, asked: number, upTo: number) {
  const { version, content, signature } = manifestVersions
  const [row] = await db
    .select({ version, content, signature })
    .from(manifestVersions)
    .where(eq(manifestVersions.userId, userId))
    .orderBy(desc(eq(version, asked)), desc(eq(version, upTo)), asc(version))
    .limit(1)
  return row
}

/** Lists the oldest first. */
export async function findDevices(db: Queryable, userId: string) {
  return await db
    .select({ id: devices.id, addedAt: devices.addedAt, lastSeenAt: devices.lastSeenAt })
    .from(devices)
    .where(eq(devices.userId, userId))
    .orderBy(asc(devices.addedAt), asc(devices.id))
}

export async function countDevices(db: Queryable, userId: string): Promise<number> {
  return await db.$count(devices, eq(devices.userId, userId))
}

/** The row stays until the transaction ends. */
export async function holdDevice(db: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: devices.id })
    .from(devices)
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
    .for('key share')
  return rows.length === 1
}

/** Returns true if the device was inserted. */
export async function insertDevice(db: Queryable, userId: string, id: string, unlockSecret: Buffer, now: Date): Promise<boolean> {
  const made = await db
    .insert(devices)
    .values({ userId, id, unlockSecret, addedAt: now, lastSeenAt: now })
    .onConflictDoNothing()
    .returning({ id: devices.id })
  return made.length === 1
}

/** The cascade deletes key packages and sealed history keys. */
export async function deleteDevices(db: Queryable, userId: string, ids: string[]): Promise<void> {
  await db.delete(devices).where(and(eq(devices.userId, userId), inArray(devices.id, ids)))
  await db.delete(books).where(and(eq(books.userId, userId), inArray(books.deviceId, ids)))
}

export async function insertHistorySeals(db: Queryable, rows: (typeof historySeals.$inferInsert)[]): Promise<void> {
  if (rows.length > 0) await db.insert(historySeals).values(rows)
}

export async function deleteOldSeals(db: Queryable, userId: string, upTo: number): Promise<void> {
  await db.delete(historySeals).where(and(eq(historySeals.userId, userId), lte(historySeals.historyKeyId, upTo)))
}

/** Lists the oldest first. */
export async function findHistorySeals(db: Queryable, userId: string, deviceId: string) {
  return await db
    .select({ historyKeyId: historySeals.historyKeyId, sealed: historySeals.sealed })
    .from(historySeals)
    .where(and(eq(historySeals.userId, userId), eq(historySeals.deviceId, deviceId)))
    .orderBy(asc(historySeals.historyKeyId))
}

export async function findUnlock(db: Queryable, userId: string, id: string): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ unlockSecret: devices.unlockSecret })
    .from(devices)
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
  return row?.unlockSecret ?? undefined
}

/** The hash identifies the browser at sign-in. */
export async function noteProof(db: Queryable, userId: string, id: string, signInHash: Buffer, now: Date): Promise<void> {
  await db
    .update(devices)
    .set({ lastSeenAt: now, signInHash })
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
}

export async function isBrowserOf(db: Queryable, userId: string, signInHash: Buffer): Promise<boolean> {
  return (await db.$count(devices, and(eq(devices.userId, userId), eq(devices.signInHash, signInHash)))) > 0
}

export async function deleteUnlock(db: Queryable, userId: string, id: string): Promise<void> {
  await db
    .update(devices)
    .set({ unlockSecret: null })
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
}
