import { randomBytes, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { CodeUse, ContactCode, codesApi } from '../../../contract/chat/contactcodes.ts'
import { LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { addPerson, announceAdded, requireContact } from './contacts.ts'
import * as store from './store-codes.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DROPPED_AT_ONCE = 500

type Redemption = z.output<typeof codesApi.redeem.input>

/** Returns the account's valid code; nulls without one. */
export async function currentCode(env: Env, user: SignedInUser): Promise<ContactCode> {
  const now = env.clock()
  return shown(now, await store.findValidCode(env.db, user.id, now))
}

/** Makes a new code, which replaces the one before at once. All pages of the account are told. */
export async function generateCode(env: Env, user: SignedInUser): Promise<ContactCode> {
  const now = env.clock()
  const row = {
    ...{ id: randomUUID(), userId: user.id, qrToken: randomBytes(16).toString('base64url') },
    ...{ expiresAt: new Date(now.getTime() + PERIODS.contactCodeMs), createdAt: now, usageCount: 0, maxUsage: null },
  }
  await env.db.transaction(async (tx) => {
    await store.replaceCodes(tx, user.id)
    await store.insertCode(tx, row)
  })
  env.hub.publish([user.id], { type: 'code', data: {} })
  return shown(now, row)
}

/**
 * Adds the owner of a code as a contact, also one that is a contact already: then only the use is noted. The owner is told, unless
 * the owner has blocked the caller, who learns nothing of that. Throws Refusal.
 */
export async function redeemCode(env: Env, user: SignedInUser, { qrToken, proof }: Redemption) {
  const now = env.clock()
  const { userId: ownerId } = requireValid(await store.findCode(env.db, qrToken), now)
  if (ownerId === user.id) throw new Refusal('cannot_add_self')
  const added = await env.db.transaction(async (tx) => {
    // The room is locked before the code, as the deletion of an account does it.
    const added = await addPerson(tx, user.id, ownerId, now)
    const code = requireValid(await store.lockCode(tx, qrToken), now)
    await store.countUse(tx, code.id)
    if (!added.isBlocked) {
      const use = { id: randomUUID(), ownerId, userId: user.id, qrToken, usedAt: now }
      await store.putUse(tx, { ...use, proof: proof === undefined ? null : Buffer.from(proof, 'base64') })
      await store.trimUses(tx, ownerId, LIMITS.codeUsesMax)
    }
    return added
  })
  if (!added.isMine || added.isAskedAgain) announceAdded(env, user.id, ownerId, added)
  if (!added.isBlocked) env.hub.publish([ownerId], { type: 'code', data: {} })
  const contact = await requireContact(env, user, added.contactId)
  return { displayName: contact.contactUser.displayName, contact }
}

/** Returns who has redeemed the account's codes and is not answered, newest first. */
export async function listUses(env: Env, user: SignedInUser): Promise<CodeUse[]> {
  const rows = await store.findUses(env.db, user.id)
  return rows.map(({ publicKey, proof, usedAt, ...use }) => ({
    ...use,
    ...{ usedAt: usedAt.toISOString(), proof: proof?.toString('base64') ?? null },
    identityKey: publicKey?.toString('base64') ?? null,
  }))
}

/** Notes that the owner has answered a use: it is deleted. Throws Refusal. */
export async function answerUse(env: Env, user: SignedInUser, useId: string): Promise<Record<string, never>> {
  if (!(await store.deleteUse(env.db, user.id, useId))) throw new Refusal('not_found')
  env.hub.publish([user.id], { type: 'code', data: {} })
  return {}
}

/**
 * Deletes codes a day after they have expired: until then a code has a name for why it does not work. Uses that the owner has not
 * answered go with the request that they made. One piece of a job: returns true if more are left.
 */
export async function dropOldCodes(env: Env): Promise<boolean> {
  const now = env.clock().getTime()
  const usesUpTo = new Date(now - LIMITS.requestDays * DAY_MS)
  return (await store.deleteOldCodes(env.db, new Date(now - DAY_MS), usesUpTo, DROPPED_AT_ONCE)) === DROPPED_AT_ONCE
}

function requireValid<Code extends NonNullable<Awaited<ReturnType<typeof store.findCode>>>>(
  code: Code | undefined,
  now: Date,
): Code {
  if (!code) throw new Refusal('unknown_code')
  if (!code.isActive) throw new Refusal('code_replaced')
  if (code.expiresAt <= now) throw new Refusal('code_expired')
  if (code.maxUsage !== null && code.usageCount >= code.maxUsage) throw new Refusal('code_used_up')
  return code
}

type Row = Pick<NonNullable<Awaited<ReturnType<typeof store.findValidCode>>>, 'qrToken' | 'expiresAt' | 'usageCount' | 'maxUsage'>

const shown = (now: Date, code: Row | undefined): ContactCode => ({
  qrToken: code?.qrToken ?? null,
  expiresAt: code?.expiresAt.toISOString() ?? null,
  serverTime: now.toISOString(),
  usageCount: code?.usageCount ?? 0,
  maxUsage: code?.maxUsage ?? null,
})
