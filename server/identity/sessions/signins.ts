import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Origin, sessionsApi } from '../../../contract/account/sessions.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store-signins.ts'

/** A copy that goes on trying is told again after this time. */
const COPY_TOLD_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const DROPPED_AT_ONCE = 500

/** Notes inside the caller's transaction that a session began, and announces it to the account's pages. `id` is the session's. */
export async function noteSignIn(tx: Queryable, now: Date, userId: string, session: Origin & { id: string }): Promise<void> {
  await store.insertSignIn(tx, { ...session, userId, signedInAt: now })
  await store.trimSignIns(tx, userId, LIMITS.signInsPerUser)
  await announceChange(tx, [userId], 'sign_in')
}

/**
 * Notes a sign-in that was refused because the counter of its passkey went back: somebody else may hold a copy of it [Note: K1]. It
 * is noted once an hour at most, so that repeats do not displace the sign-ins.
 */
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

/** Notes inside the caller's transaction which device has signed for the session, and announces it. */
export async function noteSignInDevice(
  tx: Queryable,
  now: Date,
  userId: string,
  tokenHash: Buffer,
  deviceId: string,
): Promise<void> {
  if (await store.setSignInDevice(tx, { userId, tokenHash, deviceId, now })) await announceChange(tx, [userId], 'sign_in')
}

/**
 * Returns the sign-ins that the person has not answered at this session's device. They are told there until the answer, for
 * `LIMITS.signInDays`, whether or not the session still lives: an answer elsewhere counts for nothing here. Throws Refusal.
 */
export async function newSignIns(env: Env, user: SignedInUser): Promise<z.input<typeof sessionsApi.signIns.output>> {
  const now = env.clock()
  const rows = await store.findUnanswered(env.db, {
    ...{ userId: user.id, tokenHash: Buffer.from(user.sessionHash, 'hex'), deviceId: requireDevice(user) },
    ...{ now, since: oldest(now) },
  })
  return rows.map(({ signedInAt, ...row }) => ({ ...row, signedInAt: signedInAt.toISOString() }))
}

/** Notes that the person has seen these sign-ins at this session's device; ids of anybody else's change nothing. Throws Refusal. */
export async function answerSignIns(env: Env, user: SignedInUser, ids: string[]): Promise<Record<string, never>> {
  await store.answerAt(env.db, user.id, requireDevice(user), ids)
  return {}
}

/** Deletes inside the caller's transaction what is known of an account's sign-ins. */
export const forgetSignIns = (tx: Queryable, userId: string): Promise<void> => store.deleteSignInsOf(tx, userId)

/** Deletes sign-ins that no browser is told of any more. One piece of a job: returns true if more are left. */
export const dropOldSignIns = async (env: Env): Promise<boolean> =>
  (await store.deleteOldSignIns(env.db, oldest(env.clock()), DROPPED_AT_ONCE)) === DROPPED_AT_ONCE

const oldest = (now: Date): Date => new Date(now.getTime() - LIMITS.signInDays * DAY_MS)

function requireDevice({ deviceId }: SignedInUser): string {
  if (deviceId === null) throw new Refusal('device_required')
  return deviceId
}
