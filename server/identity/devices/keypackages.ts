import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { keyPackagesShape } from '../../../contract/account/devices.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { holdDevice } from './store.ts'
import * as store from './store-keypackages.ts'

type KeyPackages = z.infer<typeof keyPackagesShape>

const DAY_MS = 24 * 60 * 60 * 1000
const DROPPED_AT_ONCE = 500

/** Throws Refusal `device_required` before a device has signed. */
export async function keyPackagesLeft(env: Env, user: SignedInUser): Promise<{ oneTime: number; hasLastResort: boolean }> {
  const deviceId = requireDevice(user)
  const rows = await store.countFree(env.db, user.id, deviceId)
  return {
    oneTime: rows.find((row) => !row.isLastResort)?.count ?? 0,
    hasLastResort: rows.some((row) => row.isLastResort),
  }
}

/** Throws Refusal `unknown_device` for a removed device. */
export async function addKeyPackages(env: Env, user: SignedInUser, packages: KeyPackages): Promise<Record<string, never>> {
  const deviceId = requireDevice(user)
  await env.db.transaction(async (tx) => {
    // The device may be removed meanwhile.
    if (!(await holdDevice(tx, user.id, deviceId))) throw new Refusal('unknown_device')
    await storeKeyPackages(tx, env.clock(), user.id, deviceId, packages)
  })
  return {}
}

/** Deletes the oldest beyond the limit. */
export async function storeKeyPackages(
  tx: Queryable,
  now: Date,
  userId: string,
  deviceId: string,
  packages: KeyPackages,
): Promise<void> {
  const { oneTime, lastResort } = packages
  const own = { userId, deviceId, createdAt: now }
  if (lastResort !== undefined) await store.deleteLastResort(tx, userId, deviceId)
  await store.insertPackages(tx, [
    ...oneTime.map((keyPackage) => ({ ...own, id: randomUUID(), keyPackage, isLastResort: false })),
    ...(lastResort === undefined ? [] : [{ ...own, id: randomUUID(), keyPackage: lastResort, isLastResort: true }]),
  ])
  await store.trimOneTime(tx, userId, deviceId, LIMITS.keyPackagesOneTime)
}

/**
 * Prefers packages claimed before for this generation, then free ones; a last resort remains [Note: R5]. Needs the room's lock.
 */
export async function takeKeyPackages(tx: Queryable, claim: store.Claim) {
  await store.noteClaim(tx, claim)
  await store.claimOneTime(tx, claim)
  return await store.findClaimed(tx, claim)
}

/** Claims a generation, and no package. Needs the room's lock. */
export const noteClaim = (tx: Queryable, claim: store.ClaimNote): Promise<void> => store.noteClaim(tx, claim)

export const hasClaimed = (tx: Queryable, claim: store.ClaimNote): Promise<boolean> => store.isClaimNoted(tx, claim)

/** Runs after the group was created. */
export const forgetClaims = (tx: Queryable, chatRoomId: string, generation: number): Promise<void> =>
  store.deleteClaims(tx, chatRoomId, generation)

function requireDevice(user: SignedInUser): string {
  if (user.deviceId === null) throw new Refusal('unknown_device')
  return user.deviceId
}

/** Claimed packages are never given out again: a Welcome may still arrive. One step of a job: true if more are left. */
export async function dropUnusedKeyPackages(env: Env): Promise<boolean> {
  const now = env.clock()
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const counts = [
    await store.dateClaims(env.db, now, DROPPED_AT_ONCE),
    await store.deleteOldClaims(env.db, daysAgo(LIMITS.keyPackageClaimDays), DROPPED_AT_ONCE),
    await store.deleteUnclaimed(env.db, daysAgo(LIMITS.keyPackageDays), DROPPED_AT_ONCE),
  ]
  return counts.includes(DROPPED_AT_ONCE)
}
