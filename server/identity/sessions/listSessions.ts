import type { z } from 'zod'
import type { sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { announceEnd, closeSessions } from './sessions.ts'
import * as store from './store.ts'

export async function listSessions(env: Env, user: SignedInUser): Promise<z.input<typeof sessionsApi.list.output>> {
  const rows = await store.findOf(env.db, user.id, hashOf(user), env.clock())
  return rows.map(({ createdAt, lastUsedAt, ...row }) => ({
    ...row,
    firstSeenAt: createdAt.toISOString(),
    lastSeenAt: lastUsedAt.toISOString(),
  }))
}

/** Throws Refusal: another account's session is not found. */
export async function endOne(env: Env, user: SignedInUser, id: string): Promise<Record<string, never>> {
  if ((await ends(env, user, (tx) => store.deleteById(tx, user.id, id))) === 0) throw new Refusal('not_found')
  return {}
}

export async function endOthers(env: Env, user: SignedInUser): Promise<{ count: number }> {
  return { count: await ends(env, user, (tx) => store.deleteOf(tx, user.id, hashOf(user))) }
}

/** Returns the number. */
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
