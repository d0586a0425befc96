import { createHmac } from 'node:crypto'
import { usernameShape } from '../../../contract/account/names.ts'
import type { Env } from '../../env.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import * as store from './store.ts'
import { isRetired } from './store-traces.ts'

// Names that could pass for the product, its staff or a word of its API.
const RESERVED = new Set(
  `admin administrator anonymous api auth billing bot conclave everyone help info login logout mail me moderator null official
  owner payments postmaster register root security service staff subscribe support sysadmin system team undefined webmaster`.split(
    /\s+/,
  ),
)

// The form of deleted accounts' names, reserved for them.
const TOMBSTONE = /^deleted_[0-9a-f]{12}$/

/** True if no account has or had the name and it is not reserved. */
export async function isFree(env: Env, username: string): Promise<boolean> {
  const name = username.toLowerCase()
  if (RESERVED.has(name) || TOMBSTONE.test(name) || (await store.findByUsername(env.db, username))) return false
  // This query runs last, so that it sees a deletion that commits after the first query.
  return !(await isRetired(env.db, retiredHash(env, username)))
}

/** The stored hash of a deleted account's name, which keeps others from taking the name [Note: I1]. */
export const retiredHash = (env: Env, username: string): Buffer =>
  createHmac('sha256', env.nameKey).update(username.toLowerCase()).digest()

/** Tells any caller if a name is free, so it is rate-limited. Throws Refusal. */
export async function usernameAvailable(env: Env, visitor: Visitor, username: string) {
  await env.limits.take('availability', visitor.addressKey())
  await env.limits.take('availabilityTotal', 'all')
  const checked = usernameShape.safeParse(username)
  if (!checked.success) return { available: false, message: checked.error.issues[0]?.message ?? 'This is not a username' }
  const available = await isFree(env, username)
  return { available, message: `${username} is ${available ? 'available' : 'not available'}` }
}
