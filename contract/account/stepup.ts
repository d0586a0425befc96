import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { instant, nothing, required } from '../ground/shapes.ts'
import { assertionShape, factorDetails } from './assertion.ts'
import { kdf } from './forms.ts'

/** A confirmation by whoever sits at an open session, for calls whose assurance is `recent`. */
export const stepUpApi = {
  options: endpoint({
    method: 'POST',
    path: '/api/account/step-up/options',
    access: 'signed_in',
    rates: ['stepUps'],
    summary: 'What one of the account’s passkeys of this address signs to confirm, within two minutes.',
    input: nothing,
    output: factorDetails,
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/account/step-up',
    access: 'signed_in',
    rates: ['stepUps'],
    summary:
      'Confirms by the password or a passkey that the person is here; where biometric sign-in is on, by a passkey alone. The session counts as confirmed for five minutes.',
    input: z
      .object({ password: required('Password', LIMITS.passwordMax).optional(), kdf, assertion: assertionShape.optional() })
      .refine(({ password, assertion }) => (password === undefined) !== (assertion === undefined), 'Password is required'),
    output: z.object({ until: instant }),
  }),
}
