import { randomBytes, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { FAMILY, type familyApi, type Invitation } from '../../../contract/account/family.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import { requireLive } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { mailInvitation } from './mail.ts'
import { shown } from './shownInvitation.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const TOKEN_BYTES = 24
const IS_FULL = 'This family circle is full: five people are in it already'
const ALL_TAKEN = 'All places are taken by members and pending invitations'

const joinsSince = (now: Date): Date => new Date(now.getTime() - FAMILY.joinsDays * DAY_MS)

/** Lists the caller's invitations, newest first. */
export async function listInvitations(env: Env, { id }: SignedInUser): Promise<Invitation[]> {
  const now = env.clock()
  return (await store.findInvitations(env.db, id, FAMILY.invitationsMax)).map((row) => shown(row, now))
}

/** Makes an invitation, if a place is free for it, and mails it where this server sends mail. Throws Refusal. */
export async function invite(
  env: Env,
  user: SignedInUser,
  { inviteeEmail, inviteeUsername }: z.output<typeof familyApi.invite.input>,
): Promise<Invitation> {
  const now = env.clock()
  const row: store.InvitationRow = {
    ...{ id: randomUUID(), masterUserId: user.id, status: 'pending', createdAt: now, acceptedAt: null, mailedAt: null },
    mailTriedAt: env.mail.isOn && inviteeEmail !== undefined ? now : null,
    inviteeEmail: inviteeEmail ?? null,
    inviteeUsername: inviteeUsername ?? null,
    invitationToken: randomBytes(TOKEN_BYTES).toString('base64url'),
    expiresAt: new Date(now.getTime() + FAMILY.invitationDays * DAY_MS),
  }
  await env.db.transaction(async (tx) => {
    await store.holdAccounts(tx, [user.id])
    if (!(await store.hasFamily(tx, user.id, now))) throw new Refusal('master_required')
    const members = await store.countMembers(tx, user.id)
    if (members >= FAMILY.membersMax) throw new Refusal('family_full')
    const pending = await store.countPending(tx, user.id, now)
    if (members + pending >= FAMILY.membersMax) throw new Refusal('family_full', { text: ALL_TAKEN })
    if ((await store.countJoined(tx, user.id, joinsSince(now))) + pending >= FAMILY.joinsMax)
      throw new Refusal('family_joins_spent')
    await store.insertInvitation(tx, row)
    await store.trimInvitations(tx, user.id, { now, since: joinsSince(now), kept: FAMILY.invitationsMax })
  })
  if (!row.mailTriedAt) return shown(row, now)
  return await mailInvitation(env, user, row.id).catch((error: unknown) => {
    // The invitation stands: it is shown as not mailed, and the link can be passed on.
    if (error instanceof Refusal) return shown(row, now)
    throw error
  })
}

/** Takes an open invitation back. Throws Refusal. */
export async function cancelInvitation(env: Env, { id: masterId }: SignedInUser, id: string): Promise<Invitation> {
  const row = await store.endInvitation(env.db, { id, masterId }, { status: 'cancelled', acceptedAt: null })
  if (!row) throw new Refusal('not_found')
  return shown(row, env.clock())
}

/** Says who invites by an open invitation, and for which username. Throws Refusal. */
export async function showInvitation(env: Env, visitor: Visitor, token: string): Promise<z.output<typeof familyApi.show.output>> {
  await env.limits.take('availability', visitor.addressKey())
  const { inviterName, invitation } = await requireOpen(env, token)
  return { inviterName, inviteeUsername: invitation.inviteeUsername }
}

async function requireOpen(env: Env, token: string) {
  const found = await store.findByToken(env.db, token)
  if (!found) throw new Refusal('unknown_invitation')
  const { invitation, isActive } = found
  const isOpen = isActive && invitation.status === 'pending' && invitation.expiresAt > env.clock()
  if (!isOpen || !(await store.hasFamily(env.db, invitation.masterUserId, env.clock()))) throw new Refusal('invitation_over')
  return found
}

/**
 * Makes the caller a member of the family circle, under the lock of both accounts: of several who accept at once as many join as there
 * are places. Throws Refusal.
 */
export async function acceptInvitation(
  env: Env,
  user: SignedInUser,
  { token, showsOnline }: z.output<typeof familyApi.accept.input>,
): Promise<Record<string, never>> {
  const now = env.clock()
  const { id, masterUserId: masterId } = (await requireOpen(env, token)).invitation
  if (masterId === user.id) throw new Refusal('own_invitation')
  await env.db.transaction(async (tx) => {
    const held = await store.holdAccounts(tx, [masterId, user.id])
    await requireLive(tx, user)
    const own = held.get(user.id)
    if (!own) throw new Refusal('not_signed_in')
    if (!held.get(masterId)?.isActive || !(await store.hasFamily(tx, masterId, now))) throw new Refusal('invitation_over')
    if (own.masterAccountId !== null || (await store.hasFamily(tx, user.id, now))) throw new Refusal('already_in_family')
    if ((await store.countMembers(tx, masterId)) >= FAMILY.membersMax) throw new Refusal('family_full', { text: IS_FULL })
    if ((await store.countJoined(tx, masterId, joinsSince(now))) >= FAMILY.joinsMax) throw new Refusal('family_joins_spent')
    if (!(await store.endInvitation(tx, { id, masterId }, { status: 'accepted', acceptedAt: now })))
      throw new Refusal('invitation_over')
    await store.setMembership(tx, user.id, { masterId, joinedAt: now, showsOnline })
    await announceChange(tx, [user.id, masterId], 'plan')
  })
  return {}
}

/** Declines an open invitation. Throws Refusal. */
export async function declineInvitation(env: Env, user: SignedInUser, token: string): Promise<Record<string, never>> {
  const { id, masterUserId: masterId } = (await requireOpen(env, token)).invitation
  if (masterId === user.id) throw new Refusal('own_invitation')
  await env.db.transaction(async (tx) => {
    if (!(await store.endInvitation(tx, { id, masterId }, { status: 'declined', acceptedAt: null })))
      throw new Refusal('invitation_over')
    await announceChange(tx, [masterId], 'plan')
  })
  return {}
}
