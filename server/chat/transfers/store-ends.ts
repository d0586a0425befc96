import { and, eq, inArray, isNull, lte, or } from 'drizzle-orm'
import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { devices } from '../../ground/db/schema/devices.ts'
import { transfers } from '../../ground/db/schema/transfers.ts'
import { secondsBefore } from '../chatlocks/times.ts'
import { DAY_SECONDS, liveSince, type Transfer } from './store.ts'

/** Ends those whose time is over, and those whose sender’s device is gone. */
export async function endDue(db: Queryable, now: Date, most: number): Promise<Transfer[]> {
  const ended = await Promise.all([
    endWhere(db, isNull(transfers.senderDevice), 'removed', now, most),
    endWhere(db, lte(transfers.createdAt, liveSince(now)), 'expired', now, most),
  ])
  return ended.flat()
}

async function endWhere(
  db: Queryable,
  isDue: ReturnType<typeof isNull>,
  endReason: TransferEndReason,
  now: Date,
  most: number,
): Promise<Transfer[]> {
  // Skips a locked row: the job waits for no account that is deleted, in whatever order each has its rows.
  const due = db
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(isNull(transfers.endedAt), isDue))
    .limit(most)
    .for('no key update', { skipLocked: true })
  return await db
    .update(transfers)
    .set({ endedAt: now, endReason })
    .where(and(inArray(transfers.id, due), isNull(transfers.endedAt)))
    .returning()
}

export async function deleteOver(db: Queryable, now: Date, most: number): Promise<number> {
  const due = db
    .select({ id: transfers.id })
    .from(transfers)
    .where(lte(transfers.endedAt, secondsBefore(now, DAY_SECONDS)))
    .limit(most)
    .for('update', { skipLocked: true })
  return (await db.delete(transfers).where(inArray(transfers.id, due)).returning({ id: transfers.id })).length
}

/** Ends those of the account, and returns them. The rows stay: what the relay has carried counts for the others. */
export async function endOfAccount(tx: Queryable, userId: string, now: Date): Promise<Transfer[]> {
  const isOwn = or(eq(transfers.senderId, userId), eq(transfers.receiverId, userId))
  // A browser that accepts has its device before the transfer.
  await tx.select({ id: devices.id }).from(devices).where(eq(devices.userId, userId)).orderBy(devices.id).for('no key update')
  await tx.select({ id: transfers.id }).from(transfers).where(isOwn).orderBy(transfers.id).for('no key update')
  return await tx
    .update(transfers)
    .set({ endedAt: now, endReason: 'removed' })
    .where(and(isOwn, isNull(transfers.endedAt)))
    .returning()
}
