import { z } from 'zod'
import { LIMITS } from '../ground/limits.ts'
import { base64Of, required } from '../ground/shapes.ts'
import { accountKeysShape, keyChangeShape } from './devices.ts'
import { displayNameShape, usernameShape } from './names.ts'

export const passwordShape = z
  .string({ error: 'Password is required' })
  .min(LIMITS.passwordMin, 'Password must be at least 6 characters')
  .max(LIMITS.passwordMax, 'Password must be at most 100 characters')

/** `1`: `password` is the 43-character authSecret that the browser derived. Absent: an API caller sent the raw password. */
export const kdf = z.literal(1).optional()

export const registrationShape = z
  .object({
    username: usernameShape,
    displayName: displayNameShape,
    password: passwordShape,
    confirmPassword: z.string({ error: "Passwords don't match" }),
    kdf,
    keys: accountKeysShape.optional(),
  })
  .refine((form) => form.password === form.confirmPassword, { path: ['confirmPassword'], message: "Passwords don't match" })

/** The acts that an order can name [Note: D5]. */
export type OrderAct =
  | 'change password'
  | 'delete account'
  | 'give up chat history'
  | 'add passkey'
  | 'rename passkey'
  | 'remove passkey'
  | 'switch biometric'

/** The identity key's signature over this request; absent for an account without keys [Note: D5]. */
export const order = base64Of(64).optional()

/** The form of a password change. With `kdf` 1 all its passwords are authSecrets, and `keys` seals the account's keys anew. */
export const passwordChangeShape = z
  .object({
    currentPassword: required('Current password', LIMITS.passwordMax),
    newPassword: z
      .string({ error: 'New password is required' })
      .min(LIMITS.passwordMin, 'New password must be at least 6 characters')
      .max(LIMITS.passwordMax, 'New password must be at most 100 characters'),
    confirmNewPassword: z.string({ error: "New passwords don't match" }),
    kdf,
    keys: keyChangeShape.optional(),
    order,
  })
  .refine((form) => form.newPassword === form.confirmNewPassword, {
    path: ['confirmNewPassword'],
    message: "New passwords don't match",
  })
