import { z } from 'zod'
import { order } from '../account/forms.ts'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64Of, chatRoomId, done, required, seqShape } from '../ground/shapes.ts'
import { contactId } from './contacts.ts'

/** 32 random bytes, given for the right password only [Note: L1]. */
const lockSecret = base64Of(32)

const TOO_SHORT = `Chat password must be at least ${LIMITS.chatPasswordMin} characters`

/** The app derives 43 characters of base64url from the typed password. A program may send any. */
export const chatPassword = z
  .string({ error: TOO_SHORT })
  .min(LIMITS.chatPasswordMin, TOO_SHORT)
  .max(LIMITS.chatPasswordMax, `Chat password must be at most ${LIMITS.chatPasswordMax} characters`)

/** A session without a verification gets place, time and count. */
export const chatLocksApi = {
  set: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/set-password',
    access: 'signed_in',
    rates: ['chatPasswords'],
    summary:
      'Sets a chat password in a session that has confirmed within 5 minutes (step_up_required), or changes it in one that has verified within 5 minutes. The session counts as verified; all others are locked out.',
    input: z
      .object({
        contactId,
        password: chatPassword,
        confirmPassword: z.string().max(LIMITS.chatPasswordMax).default(''),
        /** Absent: as before, or random. */
        lockSecret: lockSecret.optional(),
      })
      .refine(({ password, confirmPassword }) => password === confirmPassword, {
        message: "Passwords don't match",
        path: ['confirmPassword'],
      }),
    output: z.object({ lockSecret }),
  }),
  verify: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/verify-password',
    access: 'signed_in',
    rates: ['unlocks'],
    summary:
      'Tries a chat password. A right one opens the chat to this session until it was not used for 15 minutes. After 5 wrong ones each waits longer: 429. A session that has opened the chat has tries of its own; those that have just confirmed have some together.',
    input: z.object({ contactId, password: required('Password', LIMITS.chatPasswordMax) }),
    output: z.object({
      valid: z.boolean(),
      /** null for a wrong password. */
      lockSecret: lockSecret.nullable(),
      /** Tries before a wait, and the wait that has begun, after a wrong password; 0 otherwise. */
      triesLeft: z.number().int().nonnegative(),
      waitSeconds: z.number().int().nonnegative(),
    }),
  }),
  remove: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/remove-password',
    access: 'signed_in',
    rates: ['chatPasswords'],
    summary: 'Removes the chat password, in a session that has verified within 5 minutes.',
    input: z.object({ contactId }),
    output: done,
  }),
  lock: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/lock',
    access: 'signed_in',
    rates: ['unlocks'],
    summary: 'Locks the chat for this session again. Harmless where it is locked.',
    input: z.object({ contactId }),
    output: done,
  }),
  giveUp: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/give-up-history',
    access: 'signed_in',
    rates: ['chatPasswords'],
    summary:
      'Removes a forgotten chat password and, with it, the caller’s side of the chat up to now. An account with keys signs an order that names the room.',
    input: z.object({ contactId, chatRoomId, order }),
    output: z.object({ clearedSeq: seqShape }),
  }),
}
