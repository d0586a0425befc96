import { z } from 'zod'
import {
  accountKeysShape,
  bookAnswerShape,
  bookWriter,
  deviceId,
  historySealsShape,
  keyChangeShape,
  kitSecret,
  sessionProof,
  signedBookShape,
  unlockShape,
} from './devices.ts'
import { endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { tierShape } from './plans.ts'
import { base64Of, done, nothing, required, userId } from './shapes.ts'

export const usernameShape = z
  .string({ error: 'Username is required' })
  .min(LIMITS.usernameMin, 'Username must be at least 3 characters')
  .max(LIMITS.usernameMax, 'Username must be at most 30 characters')
  .regex(/^[A-Za-z0-9_]+$/, 'Username can only contain letters, numbers, and underscores')

/** A username as typed at sign-in. Only its length is checked, so the refusal does not tell whether the account exists. */
const typedUsername = z
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
/** An address, or '' for none. */
const emailShape = z
  .string({ error: 'Invalid email address' })
  .trim()
  .max(LIMITS.emailMax, 'Invalid email address')
  .refine((email) => email === '' || EMAIL.test(email), 'Invalid email address')

const passwordShape = z
  .string({ error: 'Password is required' })
  .min(LIMITS.passwordMin, 'Password must be at least 6 characters')
  .max(LIMITS.passwordMax, 'Password must be at most 100 characters')

/** `1`: `password` is the 43-character authSecret that the browser derived. Absent: an API caller sent the raw password. */
const kdf = z.literal(1).optional()

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
export type OrderAct = 'change password' | 'delete account'

/** The identity key's signature over this request; absent for an account without keys [Note: D5]. */
const order = base64Of(64).optional()

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

export const userShape = z.object({
  id: userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  profileImageUrl: z.string().nullable(),
  isAdmin: z.boolean(),
  /** The effective plan: an expired plan shows as free. */
  subscriptionTier: tierShape,
  biometricEnabled: z.boolean(),
  email: z.string().nullable(),
  onionAddress: z.string().nullable(),
  /** False if an API caller made the account. The first browser sign-in then asks for a new password and makes the keys. */
  hasKeys: z.boolean(),
  /** The device that this session names; null until one is enrolled. The name grants nothing: the device must sign first. */
  deviceId: deviceId.nullable(),
})
export type User = z.infer<typeof userShape>

/** The user, and the server's half of the vault key if the session names a device [Note: V1]. */
const signedInShape = userShape.extend({ unlock: unlockShape.nullable() })
export type SignedIn = z.infer<typeof signedInShape>

export const accountApi = {
  salt: endpoint({
    method: 'POST',
    path: '/api/login/salt',
    access: 'anyone',
    summary: "The 16-byte salt of a username's password; an unknown name gets one too, always the same.",
    input: z.object({ username: typedUsername }),
    output: z.object({ salt: base64Of(16) }),
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/register',
    access: 'anyone',
    summary: 'Makes an account and signs it in.',
    input: registrationShape,
    output: signedInShape,
    bodyLimitBytes: 1024 * 1024,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/login',
    access: 'anyone',
    summary: 'Signs in. `deviceId` names a device of the account that this browser holds.',
    input: z.object({
      username: typedUsername,
      password: required('Password', LIMITS.passwordMax),
      kdf,
      deviceId: deviceId.optional(),
    }),
    output: signedInShape,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/logout',
    access: 'anyone',
    summary:
      'Ends the session. `removeKeys` also deletes the unlock secret of the device that has signed for it, so that its vault stays shut.',
    input: z.object({ removeKeys: z.boolean().optional() }),
    output: done,
  }),
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
      "The account's newest sealed book by the recovery kit, or with `writer` the newest that this device wrote: a recovery seals it again.",
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
    bodyLimitBytes: LIMITS.bookCallBytes + 2 * 1024 * 1024,
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/api/change-password',
    access: 'signed_in',
    assurance: 'session',
    rates: ['account'],
    summary: 'Sets a new password; an account with keys signs for it. Ends all other sessions.',
    input: passwordChangeShape,
    output: done,
    bodyLimitBytes: LIMITS.bookCallBytes + 2 * 1024 * 1024,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/api/account/delete',
    access: 'signed_in',
    assurance: 'session',
    rates: ['account'],
    summary:
      "Deletes the account for good, by its password; an account with keys signs for it. Contacts see 'Deleted account'; the name is not issued again.",
    input: z.object({ password: required('Password', LIMITS.passwordMax), kdf, order }),
    output: done,
  }),
  user: endpoint({
    method: 'GET',
    path: '/api/user',
    access: 'signed_in',
    assurance: 'session',
    summary: 'Who is signed in.',
    input: nothing,
    output: userShape,
  }),
  updateProfile: endpoint({
    method: 'PUT',
    path: '/api/profile',
    access: 'signed_in',
    rates: ['profile'],
    summary: "Sets the display name, which contacts see at once, and the email: '' clears it, without one it stays.",
    input: z.object({ displayName: displayNameShape, email: emailShape.optional() }),
    output: userShape,
  }),
  usernameAvailable: endpoint({
    method: 'GET',
    path: '/api/username-available',
    access: 'anyone',
    summary: 'Whether a username is free.',
    input: z.object({ username: z.string().trim().max(LIMITS.passwordMax) }),
    output: z.object({ available: z.boolean(), message: z.string() }),
  }),
  makeKeys: endpoint({
    method: 'POST',
    path: '/api/account/keys',
    access: 'signed_in',
    assurance: 'session',
    rates: ['account'],
    summary: 'The first keys of an account that a bare API caller made: a new password, keyring, manifest and device at once.',
    input: z.object({ currentPassword: passwordShape, password: passwordShape, kdf: z.literal(1), keys: accountKeysShape }),
    output: signedInShape,
    bodyLimitBytes: 1024 * 1024,
  }),
}
