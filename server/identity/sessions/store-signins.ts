import { and, arrayContains, desc, eq, gt, inArray, isNull, lte, ne, not, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { devices } from '../../ground/db/schema/devices.ts'
import { sessions, signIns } from '../../ground/db/schema/sessions.ts'
import { isInTime } from './store.ts'

export async function insertSignIn(tx: Queryable, row: typeof signIns.$inferInsert): Promise<void> {
  await tx.insert(signIns).values(row)
}

export async function hasCopiedPasskey(tx: Queryable, userId: string, name: string, since: Date): Promise<boolean> {
  const isIt = and(eq(signIns.userId, userId), eq(signIns.copiedPasskey, name), gt(signIns.signedInAt, since))
  return (await tx.$count(signIns, isIt)) > 0
}

export async function trimSignIns(tx: Queryable, userId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from sign_ins where id = any(array(
      select id from sign_ins where user_id = ${userId} order by signed_in_at desc, id offset ${kept} for update skip locked))`)
}

/**
 * Another live session of the device leaves the sign-in unanswered: somebody else may hold the keys. Returns false without a
 * sign-in still told.
 */
export async function setSignInDevice(
  tx: Queryable,
  { userId, tokenHash, deviceId, now }: { userId: string; tokenHash: Buffer; deviceId: string; now: Date },
): Promise<boolean> {
  const isElsewhere = and(
    eq(sessions.userId, userId),
    eq(sessions.deviceId, deviceId),
    sql`${sessions.provenAt} is not null`,
    ne(sessions.tokenHash, tokenHash),
    isInTime(now),
  )
  const answeredBy = sql<string[]>`case when exists (select from ${sessions} where ${isElsewhere}) then ${signIns.answeredBy}
    else array_append(${signIns.answeredBy}, ${deviceId}) end`
  const isOfSession = sql`${signIns.id} = (select ${sessions.id} from ${sessions} where ${sessions.tokenHash} = ${tokenHash})`
  const set = await tx
    .update(signIns)
    .set({ deviceId, answeredBy })
    .where(and(eq(signIns.userId, userId), isOfSession, isNull(signIns.deviceId)))
    .returning({ id: signIns.id })
  return set.length === 1
}

interface Asking {
  userId: string
  /** A session is not told of itself. */
  tokenHash: Buffer
  deviceId: string
  now: Date
  since: Date
}

/** Lists sign-ins since the device was added, newest first. */
export async function findUnanswered(db: Queryable, { userId, tokenHash, deviceId, now, since }: Asking) {
  const one = (condition: SQL | undefined) => sql<boolean>`exists (select from ${sessions} where ${condition})`
  const isItsSession = eq(sessions.id, signIns.id)
  return await db
    .select({
      ...{ id: signIns.id, browser: signIns.browser, system: signIns.system, ingress: signIns.ingress },
      ...{ signedInAt: signIns.signedInAt, deviceId: signIns.deviceId, copiedPasskey: signIns.copiedPasskey },
      isLive: one(and(isItsSession, eq(sessions.userId, userId), isInTime(now))),
    })
    .from(signIns)
    .innerJoin(devices, and(eq(devices.userId, signIns.userId), eq(devices.id, deviceId)))
    .where(
      and(
        eq(signIns.userId, userId),
        gt(signIns.signedInAt, since),
        gt(signIns.signedInAt, devices.addedAt),
        not(arrayContains(signIns.answeredBy, [deviceId])),
        not(one(and(isItsSession, eq(sessions.tokenHash, tokenHash)))),
      ),
    )
    .orderBy(desc(signIns.signedInAt), signIns.id)
    .limit(LIMITS.signInsPerUser)
}

export async function answerAt(db: Queryable, userId: string, deviceId: string, ids: string[]): Promise<void> {
  const unanswered = and(
    eq(signIns.userId, userId),
    sql`${signIns.id} = any(${sql.param(ids)}::uuid[])`,
    not(arrayContains(signIns.answeredBy, [deviceId])),
  )
  await db
    .update(signIns)
    .set({ answeredBy: sql`array_append(${signIns.answeredBy}, ${deviceId})` })
    .where(inOrder(db, unanswered))
}

export async function deleteSignInsOf(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(signIns).where(inOrder(tx, eq(signIns.userId, userId)))
}

/** Two calls never wait for each other. */
const inOrder = (db: Queryable, condition: SQL | undefined) =>
  inArray(signIns.id, db.select({ id: signIns.id }).from(signIns).where(condition).orderBy(signIns.id).for('update'))

export async function deleteOldSignIns(db: Queryable, upTo: Date, atMost: number): Promise<number> {
  const old = db
    .select({ id: signIns.id })
    .from(signIns)
    .where(lte(signIns.signedInAt, upTo))
    .limit(atMost)
    .for('update', { skipLocked: true })
  const deleted = await db.delete(signIns).where(inArray(signIns.id, old)).returning({ id: signIns.id })
  return deleted.length
}
