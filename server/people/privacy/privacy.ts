import type { z } from 'zod'
import type { Privacy, privacyApi } from '../../../contract/people/privacy.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange, announceSwitched } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { mutualContacts } from '../relations/relations.ts'
import * as store from './store.ts'

/**
 * Switches what the caller shows. From the answer on nobody is shown more; the pages of the contacts and the own ones are told to read
 * anew what has changed. Throws Refusal.
 */
export async function updatePrivacy(
  env: Env,
  user: SignedInUser,
  change: z.output<typeof privacyApi.update.input>,
): Promise<Privacy> {
  const { privacy, isChanged } = await env.db.transaction(async (tx) => {
    const switched = await store.switchPrivacy(tx, user.id, change)
    if (!switched) throw new Refusal('not_signed_in')
    if (switched.isChanged) {
      await announceChange(tx, [user.id], 'privacy')
      await announceSwitched(tx, env.node, user.id)
    }
    return switched
  })
  if (isChanged) await tellSwitched(env, [user.id])
  return privacy
}

/** Tells the contacts who are here that these people show another thing than before. */
export async function tellSwitched(env: Env, userIds: string[]): Promise<void> {
  for (const [userId, viewers] of await mutualContacts(env.db, userIds))
    env.hub.publish(viewers, { type: 'contacts', data: { userIds: [userId] } })
}

/** Returns those of the others to whom the user shows typing: those who show theirs, if the user does. */
export const whoShareTyping = (db: Queryable, userId: string, others: string[]): Promise<string[]> =>
  store.findSharing(db, userId, others)
