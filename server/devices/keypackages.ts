import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { keyPackagesShape } from '../../contract/devices.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import { keyPackages } from '../db/schema/devices.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'

type KeyPackages = z.infer<typeof keyPackagesShape>

/** How many one-time packages this session's device has left. Throws Refusal. */
export async function keyPackagesLeft(env: Env, user: SignedInUser): Promise<{ oneTime: number; hasLastResort: boolean }> {
  const deviceId = requireDevice(user)
  const rows = await env.db
    .select({ isLastResort: keyPackages.isLastResort, count: sql<number>`count(*)::int` })
    .from(keyPackages)
    .where(and(eq(keyPackages.userId, user.id), eq(keyPackages.deviceId, deviceId), isNull(keyPackages.claimedBy)))
    .groupBy(keyPackages.isLastResort)
  return {
    oneTime: rows.find((row) => !row.isLastResort)?.count ?? 0,
    hasLastResort: rows.some((row) => row.isLastResort),
  }
}

/** Adds packages of this session's device. Throws Refusal. */
export async function addKeyPackages(env: Env, user: SignedInUser, packages: KeyPackages): Promise<Record<string, never>> {
  const deviceId = requireDevice(user)
  await env.db.transaction(async (tx) => {
    // The device may be removed while this call is under way.
    if (!(await store.holdDevice(tx, user.id, deviceId))) throw new Refusal('unknown_device')
    await storeKeyPackages(tx, env.clock(), user.id, deviceId, packages)
  })
  return {}
}

/** Inside the caller's transaction. Of more than the allowed number the oldest go; a new last resort replaces the old one. */
export async function storeKeyPackages(
  tx: Queryable,
  now: Date,
  userId: string,
  deviceId: string,
  packages: KeyPackages,
): Promise<void> {
  const { oneTime, lastResort } = packages
  const own = { userId, deviceId, createdAt: now }
  const ofDevice = and(eq(keyPackages.userId, userId), eq(keyPackages.deviceId, deviceId))
  if (lastResort !== undefined) await tx.delete(keyPackages).where(and(ofDevice, keyPackages.isLastResort))
  const rows = [
    ...oneTime.map((keyPackage) => ({ ...own, id: randomUUID(), keyPackage, isLastResort: false })),
    ...(lastResort === undefined ? [] : [{ ...own, id: randomUUID(), keyPackage: lastResort, isLastResort: true }]),
  ]
  if (rows.length === 0) return
  await tx.insert(keyPackages).values(rows)
  await tx.execute(sql`
    delete from key_packages where id in (
      select id from key_packages
      where user_id = ${userId} and device_id = ${deviceId} and not is_last_resort and claimed_by is null
      order by created_at desc, id
      offset ${LIMITS.keyPackagesOneTime})`)
}

/** Nobody shall invite a device that can no longer open the invitation. */
export async function deleteFreePackages(tx: Queryable, userId: string, deviceId: string): Promise<void> {
  await tx
    .delete(keyPackages)
    .where(and(eq(keyPackages.userId, userId), eq(keyPackages.deviceId, deviceId), isNull(keyPackages.claimedBy)))
}

interface Claim {
  chatRoomId: string
  generation: number
  claimedBy: string
  claimingDevice: string
  members: string[]
}

/**
 * One package of every other device of these members: the one claimed before for the same room, generation and caller,
 * else a free one-time package, else the last resort, which stays [Note: R5]. Runs inside a transaction that holds the room's lock.
 */
export async function takeKeyPackages(tx: Queryable, claim: Claim) {
  const { chatRoomId, generation, claimedBy, claimingDevice, members } = claim
  const wanted = sql`
    select user_id, id as device_id from devices
    where user_id = any(${sql.param(members)}::uuid[]) and not (user_id = ${claimedBy} and id = ${claimingDevice})`
  const isThisClaim = sql`k.claimed_room = ${chatRoomId} and k.claimed_generation = ${generation} and k.claimed_by = ${claimedBy}`
  await tx.execute(sql`
    update key_packages set claimed_by = ${claimedBy}, claimed_room = ${chatRoomId}, claimed_generation = ${generation}
    from (${wanted}) w
    cross join lateral (
      select k.id from key_packages k
      where k.user_id = w.user_id and k.device_id = w.device_id and not k.is_last_resort and k.claimed_by is null
      order by k.created_at limit 1 for update skip locked) free
    where key_packages.id = free.id and not exists (
      select from key_packages k where ${isThisClaim} and k.user_id = w.user_id and k.device_id = w.device_id)`)
  const { rows } = await tx.execute<{ userId: string; deviceId: string; keyPackage: string }>(sql`
    select distinct on (k.user_id, k.device_id) k.user_id as "userId", k.device_id as "deviceId", k.key_package as "keyPackage"
    from (${wanted}) w join key_packages k on k.user_id = w.user_id and k.device_id = w.device_id
    where (${isThisClaim}) or k.is_last_resort
    order by k.user_id, k.device_id, k.is_last_resort`)
  return rows
}

/** What was claimed up to that generation has served. */
export async function deleteClaims(tx: Queryable, chatRoomId: string, generation: number): Promise<void> {
  await tx.execute(sql`delete from key_packages where claimed_room = ${chatRoomId} and claimed_generation <= ${generation}`)
}

function requireDevice(user: SignedInUser): string {
  if (user.deviceId === null) throw new Refusal('unknown_device')
  return user.deviceId
}
