import { type SQL, sql } from 'drizzle-orm'

export const numberOf = (roomId: unknown): SQL => sql`(select number from chat_rooms where id = ${roomId})`
