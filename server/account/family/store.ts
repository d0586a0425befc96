import { and, asc, desc, eq, gt, gte, inArray, isNull, sql } from 'drizzle-orm'
import type { Member } from '../../../contract/account/family.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { instantOf } from '../../ground/db/instant.ts'
import { IS_BLOCKED, LOOKS_MUTUAL } from '../../ground/db/mutual.ts'
import { users } from '../../ground/db/schema/account.ts'
import { masterInvitations } from '../../ground/db/schema/family.ts'

export type InvitationRow = typeof masterInvitations.$inferSelect
type UserRow = typeof users.$inferSelect

/** Holds these accounts until the transaction ends, in one order, so that two acts never wait for each other in a circle. */
export async function holdAccounts(tx: Queryable, ids: string[]): Promise<Map<string, UserRow>> {
  const rows = await tx
    .select()
    .from(users)
    .where(and(inArray(users.id, ids), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .for('no key update')
  return new Map(rows.map((row) => [row.id, row]))
}

/** True if the plan of the account includes a family circle at that time. */
export async function hasFamily(db: Queryable, userId: string, now: Date): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select from users u join plan_rights r on r.plan = plan_of(u, ${now}::timestamptz) where u.id = ${userId} and r.has_family`)
  return rows.length > 0
}

const isOwn = (id: string, masterId: string) => and(eq(masterInvitations.id, id), eq(masterInvitations.masterUserId, masterId))

const isPending = (masterId: string, now: Date) =>
  and(eq(masterInvitations.masterUserId, masterId), eq(masterInvitations.status, 'pending'), gt(masterInvitations.expiresAt, now))

export const countPending = (tx: Queryable, masterId: string, now: Date): Promise<number> =>
  tx.$count(masterInvitations, isPending(masterId, now))

export const countMembers = (tx: Queryable, masterId: string): Promise<number> =>
  tx.$count(users, eq(users.masterAccountId, masterId))

/** Counts who joined since then, whether they are still there or not. */
export const countJoined = (tx: Queryable, masterId: string, since: Date): Promise<number> =>
  tx.$count(masterInvitations, and(eq(masterInvitations.masterUserId, masterId), gte(masterInvitations.acceptedAt, since)))

/** Returns the newest invitations of an account. */
export const findInvitations = (db: Queryable, masterId: string, limit: number): Promise<InvitationRow[]> =>
  db
    .select()
    .from(masterInvitations)
    .where(eq(masterInvitations.masterUserId, masterId))
    .orderBy(desc(masterInvitations.createdAt), asc(masterInvitations.id))
    .limit(limit)

/** Returns an invitation of that account; undefined if there is none. */
export async function findInvitation(
  db: Queryable,
  { id, masterId }: { id: string; masterId: string },
): Promise<InvitationRow | undefined> {
  const [row] = await db.select().from(masterInvitations).where(isOwn(id, masterId))
  return row
}

/** Notes when the mail server was asked to take the mail of an invitation, and when it did. Returns the invitation, if it is still there. */
export async function noteMail(
  db: Queryable,
  id: string,
  when: Pick<InvitationRow, 'mailTriedAt' | 'mailedAt'>,
): Promise<InvitationRow | undefined> {
  const [row] = await db.update(masterInvitations).set(when).where(eq(masterInvitations.id, id)).returning()
  return row
}

export async function insertInvitation(tx: Queryable, row: InvitationRow): Promise<void> {
  await tx.insert(masterInvitations).values(row)
}

/** Deletes all but the newest invitations of an account. Those that are open, or by which somebody joined since then, stay. */
export async function trimInvitations(
  tx: Queryable,
  masterId: string,
  { now, since, kept }: { now: Date; since: Date; kept: number },
): Promise<void> {
  await tx.execute(sql`
    delete from master_invitations where id in (
      select id from master_invitations where master_user_id = ${masterId}
      order by (status = 'pending' and expires_at > ${now}::timestamptz) or coalesce(accepted_at >= ${since}::timestamptz, false) desc, created_at desc, id offset ${kept})`)
}

/** Returns the invitation of that link, with the name of the one who invites; undefined if there is none. */
export async function findByToken(db: Queryable, token: string) {
  const [row] = await db
    .select({ invitation: masterInvitations, inviterName: users.displayName, isActive: users.isActive })
    .from(masterInvitations)
    .innerJoin(users, and(eq(users.id, masterInvitations.masterUserId), isNull(users.deletedAt)))
    .where(eq(masterInvitations.invitationToken, token))
  return row
}

/** Ends a pending invitation. Returns it; undefined if there is none of that account. */
export async function endInvitation(
  tx: Queryable,
  { id, masterId }: { id: string; masterId: string },
  end: Pick<InvitationRow, 'status' | 'acceptedAt'>,
): Promise<InvitationRow | undefined> {
  const [row] = await tx
    .update(masterInvitations)
    .set(end)
    .where(and(isOwn(id, masterId), eq(masterInvitations.status, 'pending')))
    .returning()
  return row
}

/** Makes an account a member of that family circle, or of none. */
export async function setMembership(
  tx: Queryable,
  userId: string,
  membership: { masterId: string; joinedAt: Date; showsOnline: boolean } | null,
): Promise<void> {
  await tx
    .update(users)
    .set({
      masterAccountId: membership?.masterId ?? null,
      invitedByMaster: membership?.masterId ?? null,
      isMasterInvitee: membership !== null,
      inviteeJoinedAt: membership?.joinedAt ?? null,
      showsFamilyOnline: membership?.showsOnline ?? false,
    })
    .where(eq(users.id, userId))
}

export async function setShowsOnline(db: Queryable, userId: string, showsFamilyOnline: boolean): Promise<void> {
  await db.update(users).set({ showsFamilyOnline }).where(eq(users.id, userId))
}

/** In the order of joining. Block and photo show as in a chat. */
export async function findMembers(db: Queryable, masterId: string): Promise<MemberRow[]> {
  const { rows } = await db.execute<MemberRow & Record<string, unknown>>(sql`
    select u.id, u.display_name as "displayName", u.username,
      case when ${LOOKS_MUTUAL} then u.profile_image_url end as "profileImageUrl",
      ${instantOf(sql`u.invitee_joined_at`)} as "joinedAt",
      u.shows_family_online and coalesce(p.nodes <> '{}', false) and not ${IS_BLOCKED} as "isOnline"
    from users u
    left join presence p on p.user_id = u.id
    left join contacts c on c.user_id = ${masterId} and c.contact_user_id = u.id
    left join contacts theirs on theirs.user_id = u.id and theirs.contact_user_id = ${masterId}
    where u.master_account_id = ${masterId}
    order by u.invitee_joined_at, u.id`)
  return rows
}

type MemberRow = Omit<Member, 'joinedAt'> & { joinedAt: string | null }

/** Returns whose family circle the account is in; undefined if in none. */
export async function findMembership(db: Queryable, userId: string) {
  const { rows } = await db.execute<{ id: string; displayName: string; username: string; showsOnline: boolean }>(sql`
    select m.id, m.display_name as "displayName", m.username, u.shows_family_online as "showsOnline"
    from users u join users m on m.id = u.master_account_id where u.id = ${userId}`)
  return rows[0]
}
