import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, instant, nothing } from '../ground/shapes.ts'
import { signedInShape } from './account.ts'
import { assertionShape, base64url, PASSKEY_LIMITS, passkeyChallenge, passkeyId } from './assertion.ts'
import { keyChangeShape } from './devices.ts'
import { deviceId } from './documents.ts'
import { order } from './forms.ts'
import { displayNameShape } from './names.ts'

/** A passkey that signs in. Whether it also opens the account's keys stands in the keyring. */
const passkeyShape = z.object({
  id: passkeyId,
  name: z.string().max(PASSKEY_LIMITS.nameMax),
  /** The host of the address at which it works. */
  host: z.string(),
  createdAt: instant,
  /** null before its first sign-in. */
  lastUsedAt: instant.nullable(),
})
export type Passkey = z.infer<typeof passkeyShape>

const passkeyName = displayNameShape.pipe(z.string().max(PASSKEY_LIMITS.nameMax))

const registrationShape = z.object({
  id: passkeyId,
  clientDataJSON: base64url(2048),
  attestationObject: base64url(16 * 1024),
  name: passkeyName,
  /** The keyring that the passkey opens too; absent for one that opens no keys. */
  keys: keyChangeShape.optional(),
  order,
})
export type Registration = z.infer<typeof registrationShape>

export const passkeysApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/passkeys',
    access: 'signed_in',
    summary: 'The account’s passkeys that sign in, oldest first.',
    input: nothing,
    output: z.array(passkeyShape).max(PASSKEY_LIMITS.max),
  }),
  challenge: endpoint({
    method: 'POST',
    path: '/api/passkeys/options',
    access: 'signed_in',
    rates: ['account'],
    summary: 'What a new passkey signs when it is made, within two minutes.',
    input: nothing,
    output: z.object({ challenge: passkeyChallenge }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/passkeys',
    access: 'signed_in',
    rates: ['keys'],
    summary: 'Adds a passkey that signs in, and that opens the keys where `keys` comes along; the account’s keys sign for it.',
    input: registrationShape,
    output: done,
    bodyLimitBytes: LIMITS.keysCallBytes,
  }),
  rename: endpoint({
    method: 'POST',
    path: '/api/passkeys/rename',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Renames a passkey that signs in; the account’s keys sign for it.',
    input: z.object({ id: passkeyId, name: passkeyName, order }),
    output: done,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/api/passkeys/remove',
    access: 'signed_in',
    rates: ['keys'],
    summary:
      'Removes a passkey that opens no keys; the account’s keys sign for it. One that opens them goes with PUT /api/account/keys.',
    input: z.object({ id: passkeyId, order }),
    output: done,
  }),
  setBiometric: endpoint({
    method: 'PUT',
    path: '/api/biometric',
    access: 'signed_in',
    rates: ['account'],
    summary:
      'Whether a sign-in by password also needs a passkey. Needs a passkey, and beside it a recovery kit or a second passkey; the account’s keys sign for it.',
    input: z.object({ enabled: z.boolean(), order }),
    output: z.object({ enabled: z.boolean() }),
  }),
  loginChallenge: endpoint({
    method: 'POST',
    path: '/api/login/passkey/options',
    access: 'anyone',
    summary: 'What any passkey of this address signs to sign in, within two minutes. No passkeys are named.',
    input: nothing,
    output: z.object({ challenge: passkeyChallenge }),
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/login/passkey',
    access: 'anyone',
    summary: 'Signs in by a passkey alone, which names the account. `deviceId` as for a sign-in by password.',
    input: z.object({ assertion: assertionShape.required(), deviceId: deviceId.optional() }),
    output: signedInShape,
  }),
}
