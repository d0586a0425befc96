import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { keyPackages } from '../../ground/db/schema/devices.ts'
import { generationClaims } from '../../ground/db/schema/rooms.ts'

const ofDevice = (userId: string, deviceId: string) => and(eq(keyPackages.userId, userId), eq(keyPackages.deviceId, deviceId))

/** Counts the device's unclaimed packages, by kind. */
export function countFree(db: Queryable, userId: string, deviceId: string) {
  return db
    .select({ isLastResort: keyPackages.isLastResort, count: sql<number>`count(*)::int` })
    .from(keyPackages)
    .where(and(ofDevice(userId, deviceId), isNull(keyPackages.claimedBy)))
    .groupBy(keyPackages.isLastResort)
}

export async function deleteLastResort(tx: Queryable, userId: string, deviceId: string): Promise<void> {
  await tx.delete(keyPackages).where(and(ofDevice(userId, deviceId), keyPackages.isLastResort))
}

export async function insertPackages(tx: Queryable, rows: (typeof keyPackages.$inferInsert)[]): Promise<void> {
  if (rows.length > 0) await tx.insert(keyPackages).values(rows)
}

/** Deletes the oldest unclaimed one-time packages until `kept` are left. */
export async function trimOneTime(tx: Queryable, userId: string, deviceId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from key_packages where id in (
      select id from key_packages
      where user_id = ${userId} and device_id = ${deviceId} and not is_last_resort and claimed_by is null
      order by created_at desc, id
      offset ${kept})`)
}

/** Deletes the unclaimed packages of a device that can no longer open an invitation. */
export async function deleteFree(tx: Queryable, userId: string, deviceId: string): Promise<void> {
  await tx.delete(keyPackages).where(and(ofDevice(userId, deviceId), isNull(keyPackages.claimedBy)))
}

export interface Claim {
  chatRoomId: string
  generation: number
  claimedBy: string
  claimingDevice: string
  members: string[]
  /** The members who have accepted the caller. Other members' devices give only their last resort. */
  accepting: string[]
  now: Date
}

/** The claiming account and device, the room and the generation. */
export type ClaimNote = Pick<Claim, 'chatRoomId' | 'generation' | 'claimedBy' | 'claimingDevice'>

/** Stores the generation that the device claims packages for, in place of the one before. */
export async function noteClaim(tx: Queryable, { chatRoomId, generation, claimedBy, claimingDevice }: ClaimNote): Promise<void> {
  await tx
    .insert(generationClaims)
    .values({ chatRoomId, userId: claimedBy, deviceId: claimingDevice, generation })
    .onConflictDoUpdate({
      target: [generationClaims.chatRoomId, generationClaims.userId, generationClaims.deviceId],
      set: { generation },
    })
}

export async function isClaimNoted(tx: Queryable, note: ClaimNote): Promise<boolean> {
  const rows = await tx
    .select({ generation: generationClaims.generation })
    .from(generationClaims)
    .where(
      and(
        eq(generationClaims.chatRoomId, note.chatRoomId),
        eq(generationClaims.userId, note.claimedBy),
        eq(generationClaims.deviceId, note.claimingDevice),
        eq(generationClaims.generation, note.generation),
      ),
    )
  return rows.length === 1
}

const devicesOf = ({ members, claimedBy, claimingDevice }: Claim) => sql`
  select user_id, id as device_id from devices
  where user_id = any(${sql.param(members)}::uuid[]) and not (user_id = ${claimedBy} and id = ${claimingDevice})`

const isOfClaim = ({ chatRoomId, generation, claimedBy }: Claim) =>
  sql`k.claimed_room = ${chatRoomId} and k.claimed_generation = ${generation} and k.claimed_by = ${claimedBy}`

/** Claims a free one-time package of every device that this claim has no package of yet. */
export async function claimOneTime(tx: Queryable, claim: Claim): Promise<void> {
  const { chatRoomId, generation, claimedBy, accepting, now } = claim
  await tx.execute(sql`
    update key_packages set claimed_by = ${claimedBy}, claimed_room = ${chatRoomId}, claimed_generation = ${generation},
      claimed_at = ${now}
    from (${devicesOf(claim)}) w
    cross join lateral (
      select k.id from key_packages k
      where k.user_id = w.user_id and k.device_id = w.device_id and not k.is_last_resort and k.claimed_by is null
      order by k.created_at limit 1 for update skip locked) free
    where key_packages.id = free.id and w.user_id = any(${sql.param(accepting)}::uuid[]) and not exists (
      select from key_packages k where ${isOfClaim(claim)} and k.user_id = w.user_id and k.device_id = w.device_id)`)
}

/** Returns the claimed package of every device, else its last resort. */
export async function findClaimed(tx: Queryable, claim: Claim) {
  const { rows } = await tx.execute<{ userId: string; deviceId: string; keyPackage: string }>(sql`
    select distinct on (k.user_id, k.device_id) k.user_id as "userId", k.device_id as "deviceId", k.key_package as "keyPackage"
    from (${devicesOf(claim)}) w join key_packages k on k.user_id = w.user_id and k.device_id = w.device_id
    where (${isOfClaim(claim)}) or k.is_last_resort
    order by k.user_id, k.device_id, k.is_last_resort`)
  return rows
}

export async function deleteClaims(tx: Queryable, chatRoomId: string, generation: number): Promise<void> {
  await tx.execute(sql`delete from key_packages where claimed_room = ${chatRoomId} and claimed_generation <= ${generation}`)
  await tx.delete(generationClaims).where(eq(generationClaims.chatRoomId, chatRoomId))
}

/** Sets the date of up to `atMost` claims that an older server stored without one. Returns their number. */
export async function dateClaims(db: Queryable, now: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update key_packages set claimed_at = ${now} where id = any(array(
      select id from key_packages where claimed_by is not null and claimed_at is null
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}

/** Deletes up to `atMost` packages that were claimed before that time. Returns their number. */
export async function deleteOldClaims(db: Queryable, claimedBefore: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from key_packages where id = any(array(
      select id from key_packages where claimed_by is not null and claimed_at <= ${claimedBefore}
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}

/** Deletes up to `atMost` unclaimed one-time packages that were made before that time. Returns their number. */
export async function deleteUnclaimed(db: Queryable, madeBefore: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from key_packages where id = any(array(
      select id from key_packages where claimed_by is null and not is_last_resort and created_at <= ${madeBefore}
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}
