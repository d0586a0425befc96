import { type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'

export interface Taken {
  userId: string
  bytes: number
  /** Midnight UTC. */
  day: Date
}

/** Counts once in a statement; false beyond the day's budget. */
export const takes = ({ userId, bytes, day }: Taken): SQL => sql`(select take_key_bytes(${userId}::uuid, ${bytes}::bigint,
  ${day}::timestamptz, ${LIMITS.keyBytesADay}::bigint, ${LIMITS.keyBytesADayOfContact}::bigint, ${LIMITS.keyBytesADayMax}::bigint))`

export async function countTaken(tx: Queryable, taken: Taken): Promise<boolean> {
  const { rows } = await tx.execute<{ fits: boolean }>(sql`select ${takes(taken)} as fits`)
  return rows[0]?.fits ?? false
}
