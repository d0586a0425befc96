import type pg from 'pg'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { openSince } from '../chatlocks/times.ts'

export interface Mark {
  chatRoomId: string
  userId: string
  /** Up to the room's newest message where it is higher. */
  seq: number
  /** A read mark raises the delivered mark too. */
  isRead: boolean
  /** SHA-256 of the session's token. */
  session: Buffer
}

export interface Raised {
  deliveredSeq: number
  readSeq: number
  /** Includes the member. Another sees reading if both show read marks. */
  audience: { userId: string; seesReading: boolean }[]
  /** True if the delivered mark has risen. */
  hasDelivered: boolean
}

type Refused = 'not_signed_in' | 'device_required' | 'not_found' | 'chat_locked'

/** undefined: the mark stood there already. */
export type RaiseResult = Refused | Raised | undefined

type Row = [
  verdict: Refused | null,
  deliveredSeq: number | null,
  readSeq: number | null,
  hasDelivered: boolean | null,
  audience: string | null,
]

/** Raises at most one mark of a room and member, by one statement. Returns results in order, after COMMIT. */
export async function raiseMarks(pool: pg.Pool | pg.PoolClient, marks: Mark[], now: Date): Promise<RaiseResult[]> {
  const { rows } = await pool.query<Row>({
    name: 'raise_marks',
    text: 'select * from raise_marks($1, $2, $3, $4, $5, $6, $7, $8)',
    rowMode: 'array',
    values: [
      marks.map((each) => each.session),
      marks.map((each) => each.userId),
      marks.map((each) => each.chatRoomId),
      marks.map((each) => each.seq),
      marks.map((each) => each.isRead),
      now,
      new Date(now.getTime() - LIMITS.sessionIdleSeconds * 1000),
      openSince(now),
    ],
  })
  return rows.map(resultOf)
}

function resultOf([verdict, deliveredSeq, readSeq, hasDelivered, audience]: Row): RaiseResult {
  if (verdict !== null) return verdict
  if (deliveredSeq === null || readSeq === null) return undefined
  return { deliveredSeq, readSeq, hasDelivered: hasDelivered === true, audience: audience === null ? [] : JSON.parse(audience) }
}
