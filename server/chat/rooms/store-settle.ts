import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { peerOf } from '../../ground/db/schema/rooms.ts'
import { isPair, ME } from './store-listrow.ts'

const given = sql.placeholder

/** Ends that rows are called new which were compared up to `comparedTo`, up to `limit` of each kind. Waits for nobody. */
export async function settle(db: Queryable, userId: string, comparedTo: string, limit: number): Promise<void> {
  await settled(db, { userId, comparedTo, limit })
}

const settled = named((db) => {
  const isOld = (...columns: string[]): SQL =>
    sql.join(
      columns.map((column) => sql`${sql.raw(column)} < ${given('comparedTo')}::xid8`),
      sql` and `,
    )
  const ends = (column: string, which: SQL): SQL => sql`
    update chat_participants p set ${sql.raw(column)} = false
    from (select chat_room_id, user_id from chat_participants where ${which} limit ${given('limit')} for no key update skip locked) old
    where ${isPair(sql`p.chat_room_id, p.user_id`, sql`old.chat_room_id, old.user_id`)} returning 1`
  const own = db
    .$with('own', {})
    .as(
      ends(
        'is_new_to_member',
        sql`${isPair(sql`user_id, is_new_to_member`, sql`${ME}, true`)} and ${isOld('changed_in', 'own_changed_in')}`,
      ),
    )
  const peers = db
    .$with('peers', {})
    .as(
      ends(
        'is_new_to_peer',
        sql`${peerOf('chat_participants.')} = ${ME}::text and is_new_to_peer and ${isOld('changed_in', 'read_changed_in')}`,
      ),
    )
  return db
    .with(own, peers)
    .select({ ended: sql<number>`(select count(*) from own) + (select count(*) from peers)` })
    .from(sql`(select) one`)
    .prepare('inbox_settle')
})
