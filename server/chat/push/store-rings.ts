import { and, eq, getTableColumns, isNotNull, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { presence } from '../../ground/db/schema/presence.ts'
import { pushSubscriptions as pushes, quietHours } from '../../ground/db/schema/push.ts'
import { sessions } from '../../ground/db/schema/sessions.ts'
import { isListening } from './store.ts'

interface Ringing {
  callerId: string
  calleeId: string
  chatRoomId: string
  now: Date
}

/**
 * Finds the browsers that a call of this contact may ring while they are closed: none for a muted chat, a contact who is blocked or not
 * accepted, an account that has switched it off, or a session that was begun over an onion service.
 */
export async function findRingable(db: Queryable, { callerId, calleeId, chatRoomId, now }: Ringing) {
  const isWanted = sql`exists (
    select from chat_participants p
    join contacts c on c.chat_room_id = p.chat_room_id and c.user_id = p.user_id
    where p.chat_room_id = ${chatRoomId} and p.user_id = ${calleeId} and (p.muted_until is null or p.muted_until <= ${now})
      and c.contact_user_id = ${callerId} and c.state = 'accepted' and not c.is_blocked)`
  return await db
    .select({
      subscription: getTableColumns(pushes),
      quiet: getTableColumns(quietHours),
      /** A page of the account is open. */
      isOpen: sql<boolean>`coalesce(${presence.nodes}, '{}') <> '{}'`,
    })
    .from(pushes)
    .innerJoin(sessions, eq(sessions.tokenHash, pushes.sessionHash))
    .innerJoin(users, eq(users.id, pushes.userId))
    .leftJoin(presence, eq(presence.userId, pushes.userId))
    .leftJoin(quietHours, eq(quietHours.userId, pushes.userId))
    .where(
      and(
        eq(pushes.userId, calleeId),
        isListening(now),
        isNotNull(sessions.provenAt),
        eq(sessions.ingress, 'direct'),
        users.ringsClosed,
        // One that fails is left in peace.
        or(eq(pushes.failures, 0), lte(pushes.notBefore, now)),
        isWanted,
      ),
    )
}
