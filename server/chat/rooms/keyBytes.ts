import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { looksMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { idsOf, type Room } from './members.ts'
import * as store from './store-commits.ts'
import type { Taken } from './store-keybytes.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ASK_AGAIN_SECONDS = 3600

export function takenBy(env: Env, { id: userId }: SignedInUser, ...texts: (string | undefined)[]): Taken {
  const bytes = texts.reduce((sum, text = '') => sum + text.length, 0)
  return { userId, bytes, day: new Date(dayOf(env) * DAY_MS) }
}

/** Danger: throw it inside the transaction, which then counts nothing. */
export function keyBytesReached(env: Env): Refusal {
  const nextMs = (dayOf(env) + 1) * DAY_MS - env.clock().getTime()
  return new Refusal('key_bytes_reached', { retryAfterSeconds: Math.ceil(nextMs / 1000) })
}

const dayOf = ({ clock }: Env): number => Math.floor(clock().getTime() / DAY_MS)

/** Throws Refusal `request_unanswered`. */
export async function requireAnswered(tx: Queryable, user: SignedInUser, room: Room): Promise<void> {
  const [other] = idsOf(room).filter((id) => id !== user.id)
  if (room.type !== 'direct' || other === undefined) return
  // First, as it reads two rows: the other looks for an answer through the whole log.
  if (await looksMutual(tx, user.id, other)) return
  if (await store.hasCommitsOfOneAlone(tx, room.id, user.id, LIMITS.commitsOfRequest))
    throw new Refusal('request_unanswered', { retryAfterSeconds: ASK_AGAIN_SECONDS })
}
