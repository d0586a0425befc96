import { timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { FactorDetails } from '../../../contract/account/assertion.ts'
import type { stepUpApi } from '../../../contract/account/stepup.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { acceptAssertion, readAssertion } from '../../identity/passkeys/assertion.ts'
import { newChallenge } from '../../identity/passkeys/passkeyChallenge.ts'
import { passkeysHere } from '../../identity/passkeys/passkeys.ts'
import { countGuess, requireAuthSecret, verifierOf } from '../../identity/password/password.ts'
import { rememberConfirmation } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/** Makes the challenge of a confirmation by passkey, and names the account's passkeys of this address. */
export async function stepUpOptions(env: Env, { id }: SignedInUser, caller: Caller): Promise<FactorDetails> {
  return { challenge: newChallenge(env, { act: 'step up', userId: id }), ids: await passkeysHere(env, caller, id) }
}

/**
 * Notes that the person has just shown the password or a passkey in this session, for calls of assurance `recent` within
 * `LIMITS.stepUpSeconds`. With biometric sign-in only the passkey counts. Throws Refusal.
 */
export async function stepUp(
  env: Env,
  user: SignedInUser,
  { password = '', kdf, assertion }: z.output<typeof stepUpApi.confirm.input>,
  caller: Caller,
): Promise<{ until: string }> {
  const giveBack = await countGuess(env, user)
  const confirmedAt = env.clock()
  if (assertion) {
    const read = await readAssertion(env, caller, user.id, assertion, { act: 'step up', userId: user.id })
    await env.db.transaction(async (tx) => {
      await acceptAssertion(env, tx, read)
      await rememberConfirmation(tx, user, confirmedAt)
    })
  } else {
    if (kdf === 1) requireAuthSecret(password)
    const row = await store.findById(env.db, user.id)
    if (!row) throw new Refusal('not_signed_in')
    if (row.biometricEnabled) throw new Refusal('biometric_required', { details: await stepUpOptions(env, user, caller) })
    const verifier = await verifierOf(row.username, row.passwordSalt, password, kdf)
    if (!timingSafeEqual(verifier, row.passwordHash)) throw new Refusal('invalid_credentials', { text: 'The password is wrong' })
    await rememberConfirmation(env.db, user, confirmedAt)
  }
  await giveBack()
  return { until: new Date(confirmedAt.getTime() + LIMITS.stepUpSeconds * 1000).toISOString() }
}
