import { z } from 'zod'
import { LIMITS } from '../ground/limits.ts'
import { required } from '../ground/shapes.ts'

export const usernameShape = z
  .string({ error: 'Username is required' })
  .min(LIMITS.usernameMin, 'Username must be at least 3 characters')
  .max(LIMITS.usernameMax, 'Username must be at most 30 characters')
  .regex(/^[A-Za-z0-9_]+$/, 'Username can only contain letters, numbers, and underscores')

/** A username as typed at sign-in. Only its length is checked, so the refusal does not tell whether the account exists. */
export const typedUsername = z
  .string({ error: 'Username is required' })
  .trim()
  .min(1, 'Username is required')
  .max(LIMITS.usernameMax, 'Username must be at most 30 characters')

// Bidi controls and zero-width characters let one name pass for another.
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\p{Cc}]/gu
export const displayNameShape = z
  .string({ error: 'Display name is required' })
  .transform((name) => name.replace(INVISIBLE, '').trim())
  .pipe(required('Display name', LIMITS.displayNameMax))

// As HTML defines a valid address, and with a dot in the domain.
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i
/** An address, or '' for none. `words` say what is wrong with any other text. */
export const emailShapeOf = (words: string) =>
  z
    .string({ error: words })
    .trim()
    .max(LIMITS.emailMax, words)
    .refine((email) => email === '' || EMAIL.test(email), words)
export const emailShape = emailShapeOf('Invalid email address')
