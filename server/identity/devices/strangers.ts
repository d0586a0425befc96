import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store-strangers.ts'

/**
 * Returns up to which version somebody who has not been accepted is given a manifest. An older version that they were given already is
 * no look.
 */
export async function givenToStranger(
  env: Env,
  user: SignedInUser,
  userId: string,
  newest: number,
  asked: number | undefined,
): Promise<number> {
  const given = asked === undefined ? undefined : await store.findGiven(env.db, user.id, userId)
  if (given !== undefined && asked !== undefined && asked <= given) return given
  return await lookAt(env, user.id, userId, newest)
}

/** Returns what a stranger learns of the version: the newest at a few looks a day, that of their last look otherwise. */
export async function lookAt(env: Env, viewerId: string, userId: string, newest: number): Promise<number> {
  try {
    await env.limits.take('listOfStranger', `${viewerId} ${directRoomId(viewerId, userId)}`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return Math.min(newest, (await store.findGiven(env.db, viewerId, userId)) ?? 1)
  }
  await store.setGiven(env.db, viewerId, userId, newest)
  return newest
}
