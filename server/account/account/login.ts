import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { SignedIn } from '../../../contract/account/account.ts'
import type { Assertion } from '../../../contract/account/assertion.ts'
import type { Env } from '../../env.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import { readAssertion } from '../../identity/passkeys/assertion.ts'
import { factorRequired } from '../../identity/passkeys/passkeys.ts'
import { saltFor, verifierOf } from '../../identity/password/password.ts'
import { Refusal } from '../../refuse.ts'
import { signIn } from './account.ts'
import * as store from './store.ts'
import { countTry } from './tries.ts'

interface Credentials {
  username: string
  password: string
  kdf?: 1 | undefined
  deviceId?: string | undefined
  assertion?: Assertion | undefined
}

/**
 * Returns the salt of a username's password. An unknown name gets the same response after the same work [Note: P1]. Throws
 * Refusal.
 */
export async function passwordSalt(env: Env, visitor: Visitor, username: string): Promise<{ salt: string }> {
  await env.limits.take('salt', visitor.addressKey())
  const made = saltFor(env, username)
  const row = await store.findByUsername(env.db, username)
  return { salt: (row?.passwordSalt ?? made).toString('base64') }
}

/**
 * Signs in with a new session. The session names the device if it belongs to the account and its vault may open. An unknown name,
 * a wrong password and a blocked account get the same response after the same work, so that a guess tells nothing, not even that
 * it was right. An account that asks for a passkey gives a right password that answer, and no session [Note: K1]. Throws Refusal.
 */
export async function login(
  env: Env,
  visitor: Visitor,
  { username, password, kdf, deviceId, assertion }: Credentials,
): Promise<SignedIn> {
  const row = await store.findByUsername(env.db, username)
  const giveBack = await countTry(env, visitor, { kind: 'password', username, userId: row?.id })
  const verifier = await verifierOf(username, row?.passwordSalt ?? saltFor(env, username), password, kdf)
  const matches = timingSafeEqual(verifier, row?.passwordHash ?? randomBytes(verifier.length))
  if (!row || !matches || !row.isActive) throw new Refusal('invalid_credentials')
  // A success is uncounted, except with a raw password: that costs a derivation even if it is right.
  if (kdf === 1 && !assertion) await giveBack()
  const enters = { deviceId, otherwise: 'invalid_credentials' as const }
  if (!row.biometricEnabled) return await signIn(env, visitor, row, enters)
  if (!assertion) throw await factorRequired(env, visitor, row.id)
  const passkey = await readAssertion(env, visitor, row.id, assertion, { act: 'second factor', userId: row.id })
  const signedIn = await signIn(env, visitor, row, { ...enters, passkey })
  if (kdf === 1) await giveBack()
  return signedIn
}
