import { type SQL, sql } from 'drizzle-orm'

/** A room’s number in its log. */
export const numberOf = (roomId: unknown): SQL => sql`(select number from chat_rooms where id = ${roomId})`
