import { and, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { CALL_LIMITS, type CallType } from '../../../contract/chat/calllimits.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { calls } from '../../ground/db/schema/calls.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { openSince, secondsBefore } from '../chatlocks/times.ts'

export type Call = typeof calls.$inferSelect

/** The caller's page ends what rang before. */
export const ringsSince = (now: Date): Date => secondsBefore(now, CALL_LIMITS.ringSeconds + CALL_LIMITS.ringGraceSeconds)
const monthOf = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))

interface Spoken {
  userId: string
  session: Buffer
  callId: string
  to: string
  attempt: number
}

interface Ring extends Spoken {
  callType: CallType
  device: string
  signal: string
}

export interface Rung {
  verdict: RefusalCode | 'rings' | 'attempt' | 'old'
  /** The callee may hear of it. */
  isHeard: boolean
  answeredBy: Buffer | null
  callType: CallType
}

export async function ringCall(db: Queryable, ring: Ring, now: Date): Promise<Rung> {
  const idleSince = secondsBefore(now, LIMITS.sessionIdleSeconds)
  const { rows } = await db.execute<{ [Column in keyof Rung]: Rung[Column] }>(sql`
    select verdict, is_heard as "isHeard", answered_by as "answeredBy", rang_type as "callType"
    from ring_call(${ring.session}, ${ring.userId}, ${ring.callId}, ${ring.to}, ${ring.callType}, ${ring.attempt},
      ${ring.device}, ${ring.signal}, ${now}, ${idleSince}, ${monthOf(now)}, ${openSince(now)}, ${ringsSince(now)},
      ${CALL_LIMITS.liveMax})`)
  return only(rows)
}

export interface Answered {
  verdict: 'accepted' | 'again' | 'elsewhere' | 'minutes' | 'old' | 'call_over' | 'chat_locked'
  /** The caller's session. */
  rungBy: Buffer | null
}

export async function answerCall(db: Queryable, answer: Spoken, now: Date): Promise<Answered> {
  const { rows } = await db.execute<{ [Column in keyof Answered]: Answered[Column] }>(sql`
    select verdict, rung_by as "rungBy"
    from answer_call(${answer.session}, ${answer.userId}, ${answer.callId}, ${answer.to}, ${answer.attempt}, ${now},
      ${monthOf(now)}, ${openSince(now)}, ${ringsSince(now)})`)
  return only(rows)
}

/** Returns false if it was over, or with `ringsOnly` answered. */
export async function endCall(db: Queryable, callId: string, ringsOnly: boolean, now: Date): Promise<boolean> {
  const { rows } = await db.execute<{ ended: boolean }>(
    sql`select end_call(${callId}, ${ringsOnly}, ${now}, ${monthOf(now)}) as ended`,
  )
  return only(rows).ended
}

/** Returns false if the caller's plan has no minute left. */
export async function countMinutes(db: Queryable, callId: string, now: Date): Promise<boolean> {
  const { rows } = await db.execute<{ counted: boolean }>(
    sql`select count_call_minutes(${callId}, ${now}, ${monthOf(now)}) as counted`,
  )
  return only(rows).counted
}

const isLive = (rungSince: Date) => and(isNull(calls.endedAt), or(isNotNull(calls.answeredAt), gt(calls.rangAt, rungSince)))

/** A callee who is not rung has none. */
export const findOwnLiveCall = (db: Queryable, callId: string, userId: string, now: Date): Promise<Call | undefined> =>
  findOwn(db, callId, userId, secondsBefore(now, CALL_LIMITS.ringSeconds))

/** Finds also one that is about to be ended. */
export const findOwnCall = (db: Queryable, callId: string, userId: string, now: Date): Promise<Call | undefined> =>
  findOwn(db, callId, userId, ringsSince(now))

async function findOwn(db: Queryable, callId: string, userId: string, rungSince: Date): Promise<Call | undefined> {
  const isOwn = or(eq(calls.callerId, userId), and(eq(calls.calleeId, userId), calls.isRung))
  const [row] = await db
    .select()
    .from(calls)
    .where(and(eq(calls.id, callId), isOwn, isLive(rungSince)))
  return row
}

export async function findUnended(db: Queryable, callIds: string[]): Promise<Call[]> {
  return await db
    .select()
    .from(calls)
    .where(and(isNull(calls.endedAt), inArray(calls.id, callIds)))
}

/** Finds what rings for too long, and what both ends have been silent in since. */
export async function findLeft(db: Queryable, silentSince: Date, now: Date, most: number): Promise<Call[]> {
  const isSilent = and(lte(calls.callerBeatAt, silentSince), lte(calls.calleeBeatAt, silentSince))
  const isUnanswered = and(isNull(calls.answeredAt), lte(calls.rangAt, ringsSince(now)))
  return await db
    .select()
    .from(calls)
    .where(and(isNull(calls.endedAt), or(isUnanswered, isSilent)))
    .orderBy(calls.rangAt)
    .limit(most)
}

/** The caller was not blocked meanwhile. */
export async function findRinging(db: Queryable, calleeIds: string[], now: Date): Promise<Call[]> {
  const isBlocked = db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.userId, calls.calleeId), eq(contacts.contactUserId, calls.callerId), contacts.isBlocked))
  return await db
    .select()
    .from(calls)
    .where(
      and(
        inArray(calls.calleeId, calleeIds),
        calls.isRung,
        isNull(calls.answeredAt),
        isLive(ringsSince(now)),
        sql`not exists ${isBlocked}`,
      ),
    )
}

/** For the caller it rings on. */
export async function stopRinging(db: Queryable, callId: string): Promise<void> {
  await db
    .update(calls)
    .set({ isRung: false, callerDevice: null, signal: null })
    .where(and(eq(calls.id, callId), isNull(calls.answeredAt)))
}

export interface Beats {
  /** This end's, before this one. */
  before: Date
  other: Date
}

/** Returns undefined for a session that is no end of an answered call. */
export async function noteBeat(
  db: Queryable,
  callId: string,
  { userId, session }: Pick<Spoken, 'userId' | 'session'>,
  now: Date,
): Promise<Beats | undefined> {
  const isCaller = sql`caller_id = ${userId} and caller_session = ${session}`
  const { rows } = await db.execute<{ before: string; other: string }>(sql`
    with known as (
      select id, ${isCaller} as is_caller, caller_beat_at, callee_beat_at from calls
      where id = ${callId} and answered_at is not null and ended_at is null
        and (${isCaller} or callee_id = ${userId} and callee_session = ${session})
      for no key update)
    update calls c set
      caller_beat_at = case when known.is_caller then ${now} else c.caller_beat_at end,
      callee_beat_at = case when known.is_caller then c.callee_beat_at else ${now} end
    from known where c.id = known.id
    returning case when known.is_caller then known.caller_beat_at else known.callee_beat_at end as before,
      case when known.is_caller then known.callee_beat_at else known.caller_beat_at end as other`)
  const [row] = rows
  return row && { before: new Date(row.before), other: new Date(row.other) }
}

export async function deleteOver(db: Queryable, endedBefore: Date, most: number): Promise<number> {
  // The job waits for no account that is deleted: that has its calls in another order.
  const due = db
    .select({ id: calls.id })
    .from(calls)
    .where(lte(calls.endedAt, endedBefore))
    .limit(most)
    .for('update', { skipLocked: true })
  return (await db.delete(calls).where(inArray(calls.id, due)).returning({ id: calls.id })).length
}

/** Returns those that had not ended. */
export async function deleteOf(tx: Queryable, userId: string): Promise<Call[]> {
  const deleted = await tx
    .delete(calls)
    .where(or(eq(calls.callerId, userId), eq(calls.calleeId, userId)))
    .returning()
  return deleted.filter(({ endedAt }) => endedAt === null)
}

function only<Row>([row]: Row[]): Row {
  if (!row) throw new Error('A function of calls returned no row')
  return row
}
