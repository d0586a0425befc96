import type { z } from 'zod'
import type { familyApi, Member } from '../../../contract/account/family.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/** Lists the members of the caller's family circle. */
export async function listMembers(env: Env, { id }: SignedInUser): Promise<Member[]> {
  const rows = await store.findMembers(env.db, id)
  return rows.map(({ joinedAt, ...row }) => ({ ...row, joinedAt: joinedAt ?? env.clock().toISOString() }))
}

/** Removes a member from the caller's family circle: their rights from it end at once. Throws Refusal. */
export async function removeMember(env: Env, { id }: SignedInUser, memberId: string): Promise<Record<string, never>> {
  return await endMembership(env, memberId, (masterId) => masterId === id)
}

/** Leaves the family circle that the caller is in. Nothing happens outside of one. */
export async function leaveFamily(env: Env, { id }: SignedInUser): Promise<Record<string, never>> {
  return await endMembership(env, id, () => true).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return {}
    throw error
  })
}

async function endMembership(env: Env, memberId: string, mayEnd: (masterId: string) => boolean): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    const masterId = (await store.holdAccounts(tx, [memberId])).get(memberId)?.masterAccountId ?? null
    if (masterId === null || !mayEnd(masterId)) throw new Refusal('not_found')
    await store.setMembership(tx, memberId, null)
    await announceChange(tx, [memberId, masterId], 'plan')
  })
  return {}
}

/** Says whose family circle the caller is in, and whether that plan is paid now. */
export async function ownMembership(env: Env, { id }: SignedInUser): Promise<z.input<typeof familyApi.own.output>> {
  const found = await store.findMembership(env.db, id)
  const sendsMail = env.mail.isOn
  if (!found) return { sendsMail, membership: null }
  const { id: masterId, ...shown } = found
  return { sendsMail, membership: { ...shown, isPaid: await store.hasFamily(env.db, masterId, env.clock()) } }
}

/** Sets whether the one whose family circle the caller is in sees when the caller is online. */
export async function setOnline(env: Env, { id }: SignedInUser, showsOnline: boolean): Promise<Record<string, never>> {
  await store.setShowsOnline(env.db, id, showsOnline)
  return {}
}
