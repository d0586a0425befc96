import { usernameShape } from '../../contract/account.ts'
import type { Env } from '../env.ts'
import type { Visitor } from '../http/serve.ts'
import * as store from './store.ts'

// Names that could pass for the product, its staff or a word of its own API.
const RESERVED = new Set(
  `admin administrator anonymous api auth billing bot conclave everyone help info login logout mail me moderator null official
  owner payments postmaster register root security service staff subscribe support sysadmin system team undefined webmaster`.split(
    /\s+/,
  ),
)

export const isReserved = (username: string): boolean => RESERVED.has(username.toLowerCase())

/** Whether a name is free. It is an oracle by design, so it is rate-limited. Throws Refusal. */
export async function usernameAvailable(env: Env, visitor: Visitor, username: string) {
  await env.limits.take('availability', visitor.addressKey)
  await env.limits.take('availabilityTotal', 'all')
  const checked = usernameShape.safeParse(username)
  if (!checked.success) return { available: false, message: checked.error.issues[0]?.message ?? 'This is not a username' }
  const available = !isReserved(username) && !(await store.findByUsername(env.db, username))
  return { available, message: `${username} is ${available ? 'available' : 'not available'}` }
}
