import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'

// Names and fields of the product's tables follow its specification; times come from env.clock, never from now().

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const at = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** The seq of an entry in a room's log. */
export const seq = (name: string) => bigint(name, { mode: 'number' })

/** Text that is ordered by its bytes, whatever the database's language is. */
export const exactText = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** Places of a log, as PostgreSQL writes a multirange of bigint: '{[5,9),[12,)}'. */
export const places = customType<{ data: string }>({ dataType: () => 'int8multirange' })

export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * The transaction that last changed what a row shows in lists. Triggers write it (contacts, members, presence and profiles in `../functions/`), so no statement
 * has to. The room list compares it with the transactions that an earlier answer could not see.
 */
export const changedIn = (name: string) => xid8(name).notNull().default(sql`pg_current_xact_id()`)

/** Leads an index that only the queries that name it take (decision 0135). */
export const ofAccount = (userId: SQLWrapper): SQL => sql`uuid_send(${userId})`
