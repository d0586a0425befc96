import type { Registration } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { isCurrent, type Purpose } from './passkeyChallenge.ts'
import { placeOf } from './place.ts'

export interface ReadRegistration {
  id: string
  publicKey: Buffer
  counter: number
  host: string
  challenge: string
}

/** Verifies every field but no attestation. Throws Refusal `invalid_input`. */
export async function readRegistration(
  env: Env,
  caller: Pick<Caller, 'headers'>,
  { id, clientDataJSON, attestationObject }: Pick<Registration, 'id' | 'clientDataJSON' | 'attestationObject'>,
  purpose: Purpose,
): Promise<ReadRegistration> {
  const { origin, host } = placeOf(caller)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const read = verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: (signed) => {
      challenge = signed
      return isCurrent(env, signed, purpose)
    },
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
  })
  // The library throws errors of no class.
  const { verified, registrationInfo } = await read.catch(() => ({ verified: false as const, registrationInfo: undefined }))
  const made = verified ? registrationInfo?.credential : undefined
  if (made?.id !== id) throw new Refusal('invalid_input', { text: 'This passkey was not made for this account and page' })
  return { id, publicKey: Buffer.from(made.publicKey), counter: made.counter, host, challenge }
}
