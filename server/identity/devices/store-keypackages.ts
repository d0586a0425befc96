import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { keyPackages } from '../../ground/db/schema/devices.ts'
import { generationClaims } from '../../ground/db/schema/rooms.ts'

const ofDevice = (userId: string, deviceId: string) => and(eq(keyPackages.userId, userId), eq(keyPackages.deviceId, deviceId))

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

export async function trimOneTime(tx: Queryable, userId: string, deviceId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from key_packages where id in (
      select id from key_packages
      where user_id = ${userId} and device_id = ${deviceId} and not is_last_resort and claimed_by is null
      order by created_at desc, id
      offset ${kept})`)
}

export async function deleteFree(tx: Queryable, userId: string, deviceId: string): Promise<void> {
  await tx.delete(keyPackages).where(and(ofDevice(userId, deviceId), isNull(keyPackages.claimedBy)))
}

export interface Claim {
  chatRoomId: string
  generation: number
  claimedBy: string
  claimingDevice: string
  members: string[]
  /** Other members' devices give only their last resort. */
  accepting: string[]
  now: Date
}

export type ClaimNote = Pick<Claim, 'chatRoomId' | 'generation' | 'claimedBy' | 'claimingDevice'>

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

/** Claims for every device without a package of this claim. */
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

/** Returns the last resort of a device without a claimed package. */
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

/** An older server stored no date. Returns the number. */
export async function dateClaims(db: Queryable, now: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update key_packages set claimed_at = ${now} where id = any(array(
      select id from key_packages where claimed_by is not null and claimed_at is null
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}

/** Returns the number of deleted packages. */
export async function deleteOldClaims(db: Queryable, claimedBefore: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from key_packages where id = any(array(
      select id from key_packages where claimed_by is not null and claimed_at <= ${claimedBefore}
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}

/** Returns the number of deleted packages. */
export async function deleteUnclaimed(db: Queryable, madeBefore: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from key_packages where id = any(array(
      select id from key_packages where claimed_by is null and not is_last_resort and created_at <= ${madeBefore}
      limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}
