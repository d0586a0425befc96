import type { z } from 'zod'
import type { Privacy, privacyApi } from '../../../contract/people/privacy.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange, announceSwitched } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/** Switches what the caller shows. Tells the own pages, and contacts who are shown another thing than before. Throws Refusal. */
export async function updatePrivacy(
  env: Env,
  user: SignedInUser,
  change: z.output<typeof privacyApi.update.input>,
): Promise<Privacy> {
  const { privacy, viewers } = await env.db.transaction(async (tx) => {
    const before = await store.holdPrivacy(tx, user.id)
    if (!before) throw new Refusal('not_signed_in')
    const privacy = { ...before, ...definedIn(change) }
    if (!isOther(before, privacy)) return { privacy, viewers: [] }
    const viewers = await whoSeeAnother(tx, user.id, () => store.setPrivacy(tx, user.id, privacy))
    await announceChange(tx, [user.id], 'privacy')
    await announceSwitched(tx, env.node, user.id, viewers)
    return { privacy, viewers }
  })
  tellSwitched(env, user.id, viewers)
  return privacy
}

const definedIn = (change: z.output<typeof privacyApi.update.input>): Partial<Privacy> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

const isOther = (one: Privacy, other: Privacy): boolean =>
  (Object.keys(one) as (keyof Privacy)[]).some((name) => one[name] !== other[name])

/** Returns whom the change shows another thing. The caller holds the user's row. */
export async function whoSeeAnother(tx: Queryable, userId: string, change: () => Promise<unknown>): Promise<string[]> {
  const before = await store.findShown(tx, userId)
  await change()
  const after = await store.findShown(tx, userId)
  return [...after].flatMap(([viewerId, shown]) => (before.get(viewerId) === shown ? [] : [viewerId]))
}

/** Call it after COMMIT. */
export function tellSwitched(env: Env, userId: string, viewers: string[]): void {
  env.hub.publish(viewers, { type: 'contacts', data: { userIds: [userId] } })
}

/** Returns those of the others to whom the user shows typing: those who show theirs, if the user does. */
export const whoShareTyping = (db: Queryable, userId: string, others: string[]): Promise<string[]> =>
  store.findSharing(db, 'typing', userId, others)

/** True if both show when they are online. */
export const sharePresence = async (db: Queryable, userId: string, other: string): Promise<boolean> =>
  (await store.findSharing(db, 'presence', userId, [other])).length > 0
