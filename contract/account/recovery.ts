import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { signedInShape } from './account.ts'
import {
  accountKeysShape,
  bookAnswerShape,
  bookWriter,
  historySealsShape,
  kitSecret,
  sessionProof,
  signedBookShape,
} from './devices.ts'
import { passwordShape } from './forms.ts'
import { typedUsername } from './names.ts'

export const recoveryApi = {
  loginByKit: endpoint({
    method: 'POST',
    path: '/api/login/kit',
    access: 'anyone',
    summary: 'Signs in with what the recovery kit shows the server. The session has no device yet.',
    input: z.object({ username: typedUsername, kitSecret }),
    output: signedInShape,
  }),
  recoveryBook: endpoint({
    method: 'POST',
    path: '/api/account/recover/book',
    access: 'signed_in',
    assurance: 'session',
    rates: ['recoveryBooks'],
    summary:
      'The account’s newest sealed book by the recovery kit, or with `writer` the newest that this device wrote: a recovery seals it again.',
    input: z.object({ kitSecret, writer: bookWriter.optional() }),
    output: bookAnswerShape,
    answerLimitBytes: LIMITS.bookCallBytes,
  }),
  recover: endpoint({
    method: 'POST',
    path: '/api/account/recover',
    access: 'signed_in',
    assurance: 'session',
    rates: ['account'],
    summary:
      'A new password and this browser, by the recovery kit, which is used up, with a new history key: keyring and manifest one version up. May remove other devices. Ends all other sessions.',
    input: z.object({
      kitSecret,
      password: passwordShape,
      kdf: z.literal(1),
      keys: accountKeysShape,
      /** Both belong to the new history key. Older pages send neither, and are refused with history_key_required. */
      historySeals: historySealsShape.default([]),
      book: signedBookShape.optional(),
      /** The secret of the recovery kit that replaces the used one; null if there is none. */
      newKitSecret: kitSecret.nullable(),
      proof: sessionProof,
    }),
    output: signedInShape,
    bodyLimitBytes: LIMITS.bookCallBytes + LIMITS.keysCallBytes,
  }),
}
