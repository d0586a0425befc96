import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { transfers } from '../../ground/db/schema/transfers.ts'
import { openSince, secondsBefore } from '../chatlocks/times.ts'

export const DAY_SECONDS = 24 * 60 * 60

export type Transfer = typeof transfers.$inferSelect

/** Somebody at a device. */
interface Mine {
  userId: string
  session: Buffer
  device: string
}

export const liveSince = (now: Date): Date => secondsBefore(now, TRANSFER_LIMITS.offerSeconds)

export async function offerTransfer(
  db: Queryable,
  { userId, session, device }: Mine,
  { transferId, to, bytes }: { transferId: string; to: string; bytes: number },
  now: Date,
): Promise<RefusalCode | 'offered' | 'known'> {
  const idleSince = secondsBefore(now, LIMITS.sessionIdleSeconds)
  return await verdictOf<RefusalCode | 'offered' | 'known'>(
    db,
    sql`offer_transfer(${session}, ${userId}, ${device}, ${transferId}, ${to}, ${bytes}, ${now}, ${idleSince}, ${openSince(now)},
      ${TRANSFER_LIMITS.liveMax})`,
  )
}

interface Accepted {
  verdict: RefusalCode | 'accepted' | 'attempt' | 'old'
  /** The sender's. */
  fromDevice: string | null
  /** The sender may hear of it. */
  isHeard: boolean
}

export async function acceptTransfer(
  db: Queryable,
  { userId, session, device }: Mine,
  { transferId, to, attempt }: { transferId: string; to: string; attempt: number },
  now: Date,
): Promise<Accepted> {
  const { rows } = await db.execute<{ [Column in keyof Accepted]: Accepted[Column] }>(sql`
    select verdict, from_device as "fromDevice", is_heard as "isHeard"
    from accept_transfer(${session}, ${userId}, ${device}, ${transferId}, ${to}, ${attempt}, ${liveSince(now)}, ${openSince(now)})`)
  return only(rows)
}

export const endTransfer = (
  db: Queryable,
  { userId, device }: Omit<Mine, 'session'>,
  { transferId, reason }: { transferId: string; reason: TransferEndReason },
  now: Date,
): Promise<RefusalCode | 'ended' | 'over'> =>
  verdictOf(db, sql`end_transfer(${userId}, ${device}, ${transferId}, ${reason}, ${now}, ${liveSince(now)})`)

export const relayTransfer = (
  db: Queryable,
  { userId, device }: Omit<Mine, 'session'>,
  { transferId, isCounted }: { transferId: string; isCounted: boolean },
  now: Date,
): Promise<RefusalCode | 'given'> =>
  verdictOf(
    db,
    sql`relay_transfer(${userId}, ${device}, ${transferId}, ${isCounted}, ${now}, ${liveSince(now)}, ${secondsBefore(now, DAY_SECONDS)},
      ${TRANSFER_LIMITS.relayedBytes})`,
  )

async function verdictOf<Verdict extends string>(db: Queryable, call: ReturnType<typeof sql>): Promise<Verdict> {
  return only((await db.execute<{ verdict: Verdict }>(sql`select ${call} as verdict`)).rows).verdict
}

export interface Spoken {
  transfer: Transfer
  /** Both have accepted each other, and who speaks does not block the other. */
  isMutual: boolean
  /** The other does not block who speaks. */
  isHeard: boolean
  /** Who speaks has opened the chat in this session, or it has no password. */
  isOpen: boolean
}

/** Returns undefined for a transfer of others, and for one that is over. */
export async function findSpoken(
  db: Queryable,
  { userId, session }: Omit<Mine, 'device'>,
  { transferId, to }: { transferId: string; to: string },
  now: Date,
): Promise<Spoken | undefined> {
  const ofTwo = (mine: string, other: string) => and(eq(transfers.senderId, mine), eq(transfers.receiverId, other))
  const stateOf = (mine: string, other: string) =>
    sql`(select c.state = 'accepted' from contacts c where c.user_id = ${mine} and c.contact_user_id = ${other}) is true`
  const isBlockedBy = (mine: string, other: string) =>
    sql`exists (select from contacts c where c.user_id = ${mine} and c.contact_user_id = ${other} and c.is_blocked)`
  const [row] = await db
    .select({
      transfer: transfers,
      isMutual: sql<boolean>`${stateOf(userId, to)} and ${stateOf(to, userId)} and not ${isBlockedBy(userId, to)}`,
      isHeard: sql<boolean>`not ${isBlockedBy(to, userId)}`,
      isOpen: sql<boolean>`not exists (
        select from chat_participants m where m.chat_room_id = ${directRoomId(userId, to)} and m.user_id = ${userId} and m.is_protected
          and not exists (select from open_chats o where o.chat_room_id = m.chat_room_id and o.user_id = m.user_id
            and o.session_hash = ${session} and o.used_at > ${openSince(now)}))`,
    })
    .from(transfers)
    .where(and(eq(transfers.id, transferId), or(ofTwo(userId, to), ofTwo(to, userId))))
  return row && endOf(row.transfer, now) === null ? row : undefined
}

/** What the job will write counts already. */
export function endOf({ endReason, senderDevice, createdAt }: Transfer, now: Date): TransferEndReason | null {
  if (endReason !== null) return endReason
  if (senderDevice === null) return 'removed'
  return createdAt <= liveSince(now) ? 'expired' : null
}

/** Leaves out what the receiver, who blocks the sender, has not accepted. Lists those that run first, then the newest. */
export async function listTransfers(db: Queryable, userId: string, most: number): Promise<Transfer[]> {
  const isBlocked = db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.userId, userId), eq(contacts.contactUserId, transfers.senderId), contacts.isBlocked))
  const isToldOf = or(isNotNull(transfers.receiverDevice), sql`not exists ${isBlocked}`)
  return await db
    .select()
    .from(transfers)
    .where(or(eq(transfers.senderId, userId), and(eq(transfers.receiverId, userId), isToldOf)))
    .orderBy(desc(isNull(transfers.endedAt)), desc(transfers.createdAt), transfers.id)
    .limit(most)
}

export async function findTransfer(db: Queryable, transferId: string): Promise<Transfer | undefined> {
  const [row] = await db.select().from(transfers).where(eq(transfers.id, transferId))
  return row
}

/** Returns "transfer user" of those who block the other. */
export async function findDeaf(db: Queryable, transferIds: string[]): Promise<Set<string>> {
  const ofPair = or(
    and(eq(contacts.userId, transfers.senderId), eq(contacts.contactUserId, transfers.receiverId)),
    and(eq(contacts.userId, transfers.receiverId), eq(contacts.contactUserId, transfers.senderId)),
  )
  const rows = await db
    .select({ transferId: transfers.id, userId: contacts.userId })
    .from(transfers)
    .innerJoin(contacts, and(ofPair, contacts.isBlocked))
    .where(inArray(transfers.id, transferIds))
  return new Set(rows.map(({ transferId, userId }) => `${transferId} ${userId}`))
}

function only<Row>([row]: Row[]): Row {
  if (!row) throw new Error('A function of transfers returned no row')
  return row
}
