import type { Assertion } from '../../../contract/account/assertion.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { isCurrent, type Purpose, takeChallenge } from './passkeyChallenge.ts'
import { placeOf } from './place.ts'
import * as store from './store.ts'

/** Counts after `acceptAssertion`. */
export interface ReadAssertion {
  passkey: Pick<store.PasskeyRow, 'userId' | 'id' | 'name'>
  challenge: string
  counter: number
}

/** Verifies every field and the account [Note: K1]. Throws Refusal `passkey_refused`, in the same words for every reason. */
export async function readAssertion(
  env: Env,
  caller: Pick<Caller, 'headers'>,
  userId: string,
  { id, userHandle, ...response }: Assertion,
  purpose: Purpose,
): Promise<ReadAssertion> {
  const { origin, host } = placeOf(caller)
  const row = await store.findPasskey(env.db, userId, id)
  if (!row || row.host !== host || (userHandle && Buffer.from(userHandle, 'base64url').toString() !== userId))
    throw new Refusal('passkey_refused')
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const read = verifyAuthenticationResponse({
    response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
    expectedChallenge: (signed) => {
      challenge = signed
      return isCurrent(env, signed, purpose)
    },
    expectedOrigin: origin,
    expectedRPID: host,
    // The counter is compared under the row's lock.
    credential: { id, publicKey: new Uint8Array(row.publicKey), counter: 0 },
    requireUserVerification: true,
  })
  // The library throws errors of no class.
  const { verified, authenticationInfo } = await read.catch(() => ({ verified: false as const, authenticationInfo: undefined }))
  if (!verified || !authenticationInfo) throw new Refusal('passkey_refused')
  return { passkey: row, challenge, counter: authenticationInfo.newCounter }
}

/**
 * Throws Refusal: `passkey_refused` for a used challenge or removed passkey, `passkey_copied` for a counter that did not grow.
 */
export async function acceptAssertion(
  env: Env,
  tx: Queryable,
  { passkey: { userId, id }, challenge, counter }: ReadAssertion,
): Promise<void> {
  if (!(await takeChallenge(env, tx, challenge))) throw new Refusal('passkey_refused')
  if (await store.countUse(tx, userId, id, counter, env.clock())) return
  throw new Refusal((await store.findPasskey(tx, userId, id)) ? 'passkey_copied' : 'passkey_refused')
}
