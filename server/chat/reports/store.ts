import { and, desc, eq, inArray, lt, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../ground/db/connect.ts'
import { instantOf } from '../../ground/db/instant.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { users } from '../../ground/db/schema/account.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { messages } from '../../ground/db/schema/messages.ts'
import { reports } from '../../ground/db/schema/reports.ts'

/** The person whom the caller's contact is, and their room; also of a contact that is off the list. */
export async function findReported(db: Queryable, userId: string, contactId: string) {
  const [row] = await db
    .select({ reportedId: contacts.contactUserId, chatRoomId: contacts.chatRoomId })
    .from(contacts)
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId)))
  return row
}

/** Counts the messages at these places that this person has sent. */
export async function countSent(db: Queryable, roomId: string, senderId: string, seqs: number[]): Promise<number> {
  const isTheirs = and(eq(messages.room, numberOf(roomId)), eq(messages.senderId, senderId), inArray(messages.seq, seqs))
  return seqs.length === 0 ? 0 : await db.$count(messages, isTheirs)
}

/** Stores a report, unless the reporter's report of this id is there. */
export async function insertReport(tx: Queryable, row: typeof reports.$inferInsert): Promise<void> {
  await tx.insert(reports).values(row).onConflictDoNothing()
}

/** Returns reports, newest first, with the times of the reported person's messages at the places that the reporter names. */
export async function findReports(db: Queryable, before: Date | undefined, limit: number) {
  const [reporter, reported] = [alias(users, 'reporter'), alias(users, 'reported')]
  const named = (who: typeof reporter | typeof reported) => ({ id: who.id, username: who.username, isActive: who.isActive })
  return await db
    .select({
      ...{ id: reports.id, category: reports.category, text: reports.text, messages: reports.messages },
      createdAt: reports.createdAt,
      reporter: named(reporter),
      reported: named(reported),
      sent: sql<Record<number, string> | null>`(
        select jsonb_object_agg(m.seq, ${instantOf(sql`m.created_at`)}) from messages m
        where m.room = ${numberOf(reports.chatRoomId)} and m.sender_id = ${reports.reportedId}
          and m.seq in (select (shown->>'seq')::bigint from jsonb_array_elements(${reports.messages}) shown))`,
    })
    .from(reports)
    .innerJoin(reporter, eq(reporter.id, reports.reporterId))
    .innerJoin(reported, eq(reported.id, reports.reportedId))
    .where(before && lt(reports.createdAt, before))
    .orderBy(desc(reports.createdAt))
    .limit(limit)
}

/** Deletes all but the reporter's newest ones. */
export async function trimReports(tx: Queryable, reporterId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from reports where (reporter_id, id) in (
      select reporter_id, id from reports where reporter_id = ${reporterId} order by created_at desc, id offset ${kept})`)
}

/** Deletes up to `atMost` reports up to this time. Returns how many. */
export async function deleteOldReports(db: Queryable, upTo: Date, atMost: number): Promise<number> {
  const old = db
    .select({ id: reports.id })
    .from(reports)
    .where(lte(reports.createdAt, upTo))
    .limit(atMost)
    .for('update', { skipLocked: true })
  return (await db.delete(reports).where(inArray(reports.id, old)).returning({ id: reports.id })).length
}
