import { and, eq, inArray, sql } from 'drizzle-orm'
import type { ArchiveKey } from '../../../contract/chat/rooms.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { archiveKeys, roomCommits } from '../../ground/db/schema/rooms.ts'
import { type Taken, takes } from './store-keybytes.ts'

type Row = typeof archiveKeys.$inferInsert

/** Returns epochs as "group epoch". */
export async function startedEpochs(db: Queryable, roomId: string, groupIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ groupId: roomCommits.groupId, epoch: roomCommits.epoch })
    .from(roomCommits)
    .where(and(eq(roomCommits.room, numberOf(roomId)), inArray(roomCommits.groupId, groupIds)))
  return new Set(rows.map(({ groupId, epoch }) => `${groupId} ${epoch + 1}`))
}

/** A stored key stays unchanged [Note: H1]. */
export async function addArchiveKeys(db: Queryable, rows: Row[]): Promise<void> {
  if (rows.length > 0) await db.insert(archiveKeys).values(rows).onConflictDoNothing()
}

/** Returns false beyond the day's budget. */
export async function addOwnKeys(db: Queryable, rows: Row[], taken: Taken): Promise<boolean> {
  if (rows.length === 0) return true
  const column = (name: 'groupId' | 'epoch' | 'historyKeyId' | 'sealed') => sql.param(rows.map((row) => row[name]))
  const { rows: answered } = await db.execute<{ fits: boolean }>(sql`
    with counted as materialized (select ${takes(taken)} as fits), added as (
      insert into archive_keys (room, user_id, sealed_by, group_id, epoch, history_key_id, sealed)
      select ${rows[0]?.room}::bigint, ${rows[0]?.userId}::uuid, 'own_device', k.*
      from unnest(${column('groupId')}::text[], ${column('epoch')}::int[], ${column('historyKeyId')}::int[], ${column('sealed')}::text[]) k
      where (select fits from counted) on conflict do nothing)
    select fits from counted`)
  return answered[0]?.fits ?? false
}

/** Returns the account's keys, each under the newest `perSlot` history keys. */
export async function findArchiveKeys(
  db: Queryable,
  asked: { roomId: string; userId: string; groupId: string; epochs: number[]; perSlot: number },
): Promise<ArchiveKey[]> {
  const { roomId, userId, groupId, epochs, perSlot } = asked
  const { rows } = await db.execute<Record<keyof ArchiveKey, unknown> & ArchiveKey>(sql`
    select user_id::text as "userId", group_id as "groupId", epoch, history_key_id as "historyKeyId", sealed
    from (
      select *, row_number() over (partition by epoch, sealed_by order by history_key_id desc) as place
      from archive_keys
      where room = ${numberOf(roomId)} and group_id = ${groupId} and user_id = ${userId}
        and epoch = any(${sql.param(epochs)}::int[])
    ) as slots
    where place <= ${perSlot}
    order by epoch, sealed_by, history_key_id desc`)
  return rows
}
