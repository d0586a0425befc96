import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Origin, sessionsApi } from '../../../contract/account/sessions.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store-signins.ts'

/** A copy that tries again is told after this time. */
const COPY_TOLD_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const DROPPED_AT_ONCE = 500

/** `id` is the session's. */
export async function noteSignIn(tx: Queryable, now: Date, userId: string, session: Origin & { id: string }): Promise<void> {
  await store.insertSignIn(tx, { ...session, userId, signedInAt: now })
  await store.trimSignIns(tx, userId, LIMITS.signInsPerUser)
  await announceChange(tx, [userId], 'sign_in')
}

/** A counter that went back shows a copy [Note: K1]. Repeats, more than one an hour, would displace the sign-ins. */
export async function noteCopiedPasskey(env: Env, userId: string, origin: Origin, name: string): Promise<void> {
  const now = env.clock()
  await env.db.transaction(async (tx) => {
    const sinceThen = new Date(now.getTime() - COPY_TOLD_MS)
    if (await store.hasCopiedPasskey(tx, userId, name, sinceThen)) return
    await store.insertSignIn(tx, { ...origin, id: randomUUID(), userId, signedInAt: now, copiedPasskey: name })
    await store.trimSignIns(tx, userId, LIMITS.signInsPerUser)
    await announceChange(tx, [userId], 'sign_in')
  })
}

/** Announces in the caller's transaction. */
export async function noteSignInDevice(
  tx: Queryable,
  now: Date,
  userId: string,
  tokenHash: Buffer,
  deviceId: string,
): Promise<void> {
  if (await store.setSignInDevice(tx, { userId, tokenHash, deviceId, now })) await announceChange(tx, [userId], 'sign_in')
}

/** Counts answers at this session's device only, and ended sessions too. Throws Refusal. */
export async function newSignIns(env: Env, user: SignedInUser): Promise<z.input<typeof sessionsApi.signIns.output>> {
  const now = env.clock()
  const rows = await store.findUnanswered(env.db, {
    ...{ userId: user.id, tokenHash: Buffer.from(user.sessionHash, 'hex'), deviceId: requireDevice(user) },
    ...{ now, since: oldest(now) },
  })
  return rows.map(({ signedInAt, ...row }) => ({ ...row, signedInAt: signedInAt.toISOString() }))
}

/** Passes over other accounts' ids. Throws Refusal. */
export async function answerSignIns(env: Env, user: SignedInUser, ids: string[]): Promise<Record<string, never>> {
  await store.answerAt(env.db, user.id, requireDevice(user), ids)
  return {}
}

/** Runs in the caller's transaction. */
export const forgetSignIns = (tx: Queryable, userId: string): Promise<void> => store.deleteSignInsOf(tx, userId)

/** One step of a job: true if more are left. */
export const dropOldSignIns = async (env: Env): Promise<boolean> =>
  (await store.deleteOldSignIns(env.db, oldest(env.clock()), DROPPED_AT_ONCE)) === DROPPED_AT_ONCE

const oldest = (now: Date): Date => new Date(now.getTime() - LIMITS.signInDays * DAY_MS)

function requireDevice({ deviceId }: SignedInUser): string {
  if (deviceId === null) throw new Refusal('device_required')
  return deviceId
}
