import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store-strangers.ts'

/**
 * Returns up to which version somebody who has not been accepted is given a manifest: the newest at a few looks a day, the one of their
 * last look otherwise. An older version that they were given already is no look. Throws Refusal.
 */
export async function givenToStranger(
  env: Env,
  user: SignedInUser,
  userId: string,
  newest: number,
  asked: number | undefined,
): Promise<number> {
  const given = await store.findGiven(env.db, user.id, userId)
  if (given !== undefined && asked !== undefined && asked <= given) return given
  try {
    await countLook(env, user.id, userId)
  } catch (error) {
    if (given === undefined || !(error instanceof Refusal)) throw error
    return given
  }
  await store.setGiven(env.db, user.id, userId, newest)
  return newest
}

/** Counts whatever tells a stranger how somebody's device list stands. Throws Refusal. */
export const countLook = (env: Env, viewerId: string, userId: string) =>
  env.limits.take('listOfStranger', `${viewerId} ${directRoomId(viewerId, userId)}`)
