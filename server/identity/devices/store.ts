import { and, asc, eq, inArray, isNull, lte, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { books, devices, historySeals, keyrings, manifests, manifestVersions } from '../../ground/db/schema/devices.ts'

/** Returns the account's identity, locked until the transaction ends, so that key changes run one after another. */
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

/** Returns a version of the account's manifest; undefined if it is not stored. */
export async function findManifestVersion(db: Queryable, userId: string, version: number): Promise<Signed | undefined> {
  const [row] = await db
    .select({ content: manifestVersions.content, signature: manifestVersions.signature })
    .from(manifestVersions)
    .where(and(eq(manifestVersions.userId, userId), eq(manifestVersions.version, version)))
  return row
}

/** Returns the account's devices as the server knows them, oldest first. */
export async function findDevices(db: Queryable, userId: string) {
  return await db
    .select({ id: devices.id, addedAt: devices.addedAt, lastSeenAt: devices.lastSeenAt })
    .from(devices)
    .where(eq(devices.userId, userId))
    .orderBy(asc(devices.addedAt), asc(devices.id))
}

/** True if the account has this device. The row cannot be deleted until the transaction ends. */
export async function holdDevice(db: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: devices.id })
    .from(devices)
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
    .for('key share')
  return rows.length === 1
}

/** Inserts the device if it does not exist. Returns whether it was inserted. */
export async function insertDevice(db: Queryable, userId: string, id: string, unlockSecret: Buffer, now: Date): Promise<boolean> {
  const made = await db
    .insert(devices)
    .values({ userId, id, unlockSecret, addedAt: now, lastSeenAt: now })
    .onConflictDoNothing()
    .returning({ id: devices.id })
  return made.length === 1
}

/** Deletes these devices and their books. Their key packages and sealed history keys are deleted by cascade. */
export async function deleteDevices(db: Queryable, userId: string, ids: string[]): Promise<void> {
  await db.delete(devices).where(and(eq(devices.userId, userId), inArray(devices.id, ids)))
  await db.delete(books).where(and(eq(books.userId, userId), inArray(books.deviceId, ids)))
}

export async function insertHistorySeals(db: Queryable, rows: (typeof historySeals.$inferInsert)[]): Promise<void> {
  if (rows.length > 0) await db.insert(historySeals).values(rows)
}

/** Deletes the seals of history keys up to that id. */
export async function deleteOldSeals(db: Queryable, userId: string, upTo: number): Promise<void> {
  await db.delete(historySeals).where(and(eq(historySeals.userId, userId), lte(historySeals.historyKeyId, upTo)))
}

/** Returns the history keys that were sealed to a device, oldest first. */
export async function findHistorySeals(db: Queryable, userId: string, deviceId: string) {
  return await db
    .select({ historyKeyId: historySeals.historyKeyId, sealed: historySeals.sealed })
    .from(historySeals)
    .where(and(eq(historySeals.userId, userId), eq(historySeals.deviceId, deviceId)))
    .orderBy(asc(historySeals.historyKeyId))
}

/** Returns the unlock secret of a device; undefined if it has none. */
export async function findUnlock(db: Queryable, userId: string, id: string): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ unlockSecret: devices.unlockSecret })
    .from(devices)
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
  return row?.unlockSecret ?? undefined
}

/** Stores that a device has signed for a session: when it was seen, and the hash that identifies its browser at sign-in. */
export async function noteProof(db: Queryable, userId: string, id: string, signInHash: Buffer, now: Date): Promise<void> {
  await db
    .update(devices)
    .set({ lastSeenAt: now, signInHash })
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
}

/** True if a device of the account has signed for a session in the browser with this hash. */
export async function isBrowserOf(db: Queryable, userId: string, signInHash: Buffer): Promise<boolean> {
  return (await db.$count(devices, and(eq(devices.userId, userId), eq(devices.signInHash, signInHash)))) > 0
}

export async function deleteUnlock(db: Queryable, userId: string, id: string): Promise<void> {
  await db
    .update(devices)
    .set({ unlockSecret: null })
    .where(and(eq(devices.userId, userId), eq(devices.id, id)))
}
