import type { z } from 'zod'
import type { sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { announceEnd, closeSessions } from './sessions.ts'
import * as store from './store.ts'

/** Lists the account's sessions, this one first. */
export async function listSessions(env: Env, user: SignedInUser): Promise<z.input<typeof sessionsApi.list.output>> {
  const rows = await store.findOf(env.db, user.id, hashOf(user), env.clock())
  return rows.map(({ createdAt, lastUsedAt, ...row }) => ({
    ...row,
    firstSeenAt: createdAt.toISOString(),
    lastSeenAt: lastUsedAt.toISOString(),
  }))
}

/** Ends a session of the caller's account; a session of anybody else is not found. Throws Refusal. */
export async function endOne(env: Env, user: SignedInUser, id: string): Promise<Record<string, never>> {
  if ((await ends(env, user, (tx) => store.deleteById(tx, user.id, id))) === 0) throw new Refusal('not_found')
  return {}
}

/** Ends all sessions of the account but the caller's. */
export async function endOthers(env: Env, user: SignedInUser): Promise<{ count: number }> {
  return { count: await ends(env, user, (tx) => store.deleteOf(tx, user.id, hashOf(user))) }
}

/** Deletes sessions, announces it to every node, and closes their sockets with the reason. Returns how many have ended. */
async function ends(
  env: Env,
  { id }: SignedInUser,
  deletes: (tx: Queryable) => Promise<{ tokenHash: Buffer }[]>,
): Promise<number> {
  const ended = await env.db.transaction(async (tx) => await announceEnd(tx, id, await deletes(tx), 'ended'))
  closeSessions(env, ended, { reason: 'ended' })
  return ended.length
}

const hashOf = ({ sessionHash }: SignedInUser): Buffer => Buffer.from(sessionHash, 'hex')
