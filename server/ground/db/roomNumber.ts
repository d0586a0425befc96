import { type SQL, sql } from 'drizzle-orm'

/** Finds the number that stands for a room in the tables of its log. */
export const numberOf = (roomId: unknown): SQL => sql`(select number from chat_rooms where id = ${roomId})`
