import type { AdminUser } from '../../contract/admin/admin.ts'
import type { AuditAct } from '../../contract/admin/audit.ts'
import type { Tier } from '../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../env.ts'
import { announceChange } from '../ground/db/changes.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { closeSessions, deleteSessionsOf, requireLive } from '../identity/sessions/sessions.ts'
import { givenTier, grantTier } from '../money/ledger/ledger.ts'
import { endCard } from '../money/payments/endCard.ts'
import { effectiveTier } from '../money/plans/plans.ts'
import { Refusal } from '../refuse.ts'
import { writeAudit } from './audit.ts'
import * as store from './store.ts'
import { lockAdministration } from './store-audit.ts'
import { shownUser } from './users.ts'

interface Act {
  act: AuditAct
  /** What the act changes, as the audit trail shows it before and after. */
  shows: (row: store.UserRow, tx: Queryable) => unknown
  /** Changes the account inside the transaction. Returns the sessions that it has ended, if any. Throws Refusal. */
  changes: (tx: Queryable, row: store.UserRow, actor: SignedInUser, now: Date) => Promise<string[] | undefined>
}

/** Verb of a call by which an administrator changes an account. Nothing is written where nothing changes. */
type Verb = (env: Env, actor: SignedInUser, id: string) => Promise<AdminUser>

const verb =
  ({ act, shows, changes }: Act): Verb =>
  async (env, actor, id) => {
    const now = env.clock()
    const { user, ended = [] } = await env.db.transaction(async (tx) => {
      await requireAdministrator(tx, actor)
      const row = await store.holdUser(tx, id)
      if (!row) throw new Refusal('user_not_found')
      const before = await shows(row, tx)
      const ended = await changes(tx, row, actor, now)
      const next = await store.holdUser(tx, id)
      if (!next) throw new Error('The account has gone while it was locked')
      const after = await shows(next, tx)
      if (act === 'reset-usage' || JSON.stringify(before) !== JSON.stringify(after))
        await writeAudit(tx, now, { actorId: actor.id, act, subjectId: id, before, after })
      return { user: await shownUser(tx, id, now), ended }
    })
    closeSessions(env, ended, { reason: 'block' })
    return user
  }

/**
 * Takes the lock of the administration and looks again whether the caller is an administrator: of two who demote each other at once
 * the second one is none any more. Throws Refusal.
 */
export async function requireAdministrator(tx: Queryable, actor: SignedInUser): Promise<void> {
  await lockAdministration(tx)
  await requireLive(tx, actor)
  if (!(await store.isAdministrator(tx, actor.id))) throw new Refusal('admin_required')
}

/** Refuses what would leave no administrator who can sign in. The caller holds the lock of the administration. */
async function requireAnother(tx: Queryable, { id, isAdmin }: store.UserRow): Promise<void> {
  if (isAdmin && !(await store.hasAnotherAdministrator(tx, id))) throw new Refusal('last_administrator')
}

/** Locks an account that is being deleted, with `lock`, and first the administration if it is an administrator’s. Throws Refusal for the last one. */
export async function lockLeaving<Locked>(tx: Queryable, userId: string, lock: () => Promise<Locked>): Promise<Locked> {
  const isAdministrator = await store.isAdministrator(tx, userId)
  if (isAdministrator) {
    await lockAdministration(tx)
    if (!(await store.hasAnotherAdministrator(tx, userId))) throw new Refusal('last_administrator')
  }
  const locked = await lock()
  // Made one between the two: the lock of the administration comes before that of an account.
  if (!isAdministrator && (await store.isAdministrator(tx, userId))) throw new Refusal('unavailable', { retryAfterSeconds: 1 })
  return locked
}

const isActive = ({ isActive }: store.UserRow) => ({ isActive })
const isAdmin = ({ isAdmin }: store.UserRow) => ({ isAdmin })

/** Blocks an account: its sessions and sockets end at once, and nobody signs in to it. Throws Refusal. */
export const deactivate = verb({
  act: 'deactivate',
  shows: isActive,
  changes: async (tx, row, actor, now) => {
    await requireAnother(tx, row)
    if (row.id === actor.id) throw new Refusal('cannot_block_self')
    if (!row.isActive) return
    await store.setActive(tx, row.id, { isActive: false, deactivatedAt: now, deactivatedBy: actor.id })
    return await deleteSessionsOf(tx, row.id, undefined, 'block')
  },
})

/** Ends the block of an account. Throws Refusal. */
export const reactivate = verb({
  act: 'reactivate',
  shows: isActive,
  changes: async (tx, { id, isActive }) => {
    if (!isActive) await store.setActive(tx, id, { isActive: true, deactivatedAt: null, deactivatedBy: null })
  },
})

/** Sets every counter of the month to 0. Throws Refusal. */
export const resetUsage = verb({
  act: 'reset-usage',
  // What somebody has written, called and been sent is nobody else’s.
  shows: async () => ({}),
  changes: async (tx, { id }, _actor, now) => {
    await store.clearUsage(tx, id, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)), now)
    await announceChange(tx, [id], 'plan')
  },
})

/** Makes an account an administrator. Throws Refusal. */
export const makeAdmin = verb({
  act: 'make-admin',
  shows: isAdmin,
  changes: async (tx, { id }) => {
    await store.setAdmin(tx, id, true)
    await announceChange(tx, [id], 'rights')
  },
})

/** Takes the administrator's rights. Throws Refusal. */
export const removeAdmin = verb({
  act: 'remove-admin',
  shows: isAdmin,
  changes: async (tx, row) => {
    await requireAnother(tx, row)
    await store.setAdmin(tx, row.id, false)
    await announceChange(tx, [row.id], 'rights')
  },
})

/**
 * Gives an account a plan from now on, beside what was paid, which runs to its end. The card is billed no more, which the provider is told
 * first. Throws Refusal, also where the provider does not answer: then nothing has changed.
 */
export async function giveTier(env: Env, actor: SignedInUser, id: string, tier: Tier): Promise<AdminUser> {
  await env.db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    if (!(await store.holdUser(tx, id))) throw new Refusal('user_not_found')
  })
  const isCardEnded = await endCard(env, id, { atEnd: true })
  const give = verb({
    act: 'subscription',
    shows: async ({ subscriptionEndDate }, tx) => ({
      tier: await effectiveTier(tx, id, env.clock()),
      endDate: subscriptionEndDate?.toISOString() ?? null,
      given: (await givenTier(tx, id)) ?? null,
      ...(isCardEnded && { isCardEnded }),
    }),
    changes: async (tx, _row, _actor, now) => {
      await grantTier(tx, now, { userId: id, tier })
    },
  })
  try {
    return await give(env, actor, id)
  } catch (error) {
    // The caller’s rights have ended while the provider answered. What was done there is done.
    if (isCardEnded) await noteEndedCard(env, actor, id)
    throw error
  }
}

const noteEndedCard = ({ db, clock }: Env, actor: SignedInUser, subjectId: string): Promise<void> =>
  db.transaction(async (tx) => {
    await lockAdministration(tx)
    const ended = { before: { isCardEnded: false }, after: { isCardEnded: true } }
    await writeAudit(tx, clock(), { actorId: actor.id, act: 'subscription', subjectId, ...ended })
  })
