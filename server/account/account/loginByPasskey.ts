import type { z } from 'zod'
import type { SignedIn } from '../../../contract/account/account.ts'
import type { passkeysApi } from '../../../contract/account/passkeys.ts'
import { userId as userIdShape } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import type { GiveBack } from '../../ground/http/limits.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import { readAssertion } from '../../identity/passkeys/assertion.ts'
import { newChallenge, type Purpose } from '../../identity/passkeys/passkeyChallenge.ts'
import { Refusal } from '../../refuse.ts'
import { signIn } from './account.ts'
import * as store from './store.ts'

/** Any passkey of this address may sign it: who comes is not known yet. */
const ALONE: Purpose = { act: 'sign in', userId: '' }

/** Makes the challenge of a sign-in by passkey alone. It names no account and no passkey. Throws Refusal. */
export async function loginChallenge(env: Env, visitor: Visitor): Promise<{ challenge: string }> {
  await env.limits.take('passkeyChallenges', visitor.addressKey())
  return { challenge: newChallenge(env, ALONE) }
}

/**
 * Signs in by a passkey alone, which names the account by its user handle. An unknown or deleted account, one without passkeys, an
 * unknown passkey, a wrong signature and a blocked account get the same response [Note: K1]. Throws Refusal.
 */
export async function loginByPasskey(
  env: Env,
  visitor: Visitor,
  { assertion, deviceId }: z.output<typeof passkeysApi.login.input>,
): Promise<SignedIn> {
  const giveBack = await countTry(env, visitor, assertion.id)
  const { data: userId } = userIdShape.safeParse(Buffer.from(assertion.userHandle, 'base64url').toString())
  if (userId === undefined) throw new Refusal('passkey_refused')
  const passkey = await readAssertion(env, visitor, userId, assertion, ALONE)
  const row = await store.findById(env.db, userId)
  if (!row?.isActive) throw new Refusal('passkey_refused')
  const signedIn = await signIn(env, visitor, row, { deviceId, otherwise: 'passkey_refused', passkey })
  await giveBack()
  return signedIn
}

/**
 * Counts an attempt by its address. The onion service knows no addresses, so there the passkey counts: its id is long and random,
 * so nobody else can use up its tries.
 */
const countTry = (env: Env, { addressKey, ingress }: Visitor, id: string): Promise<GiveBack> =>
  ingress === 'onion'
    ? env.limits.take('signInByName', `onion passkey ${id}`)
    : env.limits.take('signInByAddress', `passkey ${addressKey()}`)
