import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64Of, done, nothing, required, userId } from '../ground/shapes.ts'
import { tierShape } from '../money/plans.ts'
import { privacyShape } from '../people/privacy.ts'
import { assertionShape } from './assertion.ts'
import { accountKeysShape, unlockShape } from './devices.ts'
import { deviceId } from './documents.ts'
import { kdf, order, passwordChangeShape, passwordShape, registrationShape } from './forms.ts'
import { displayNameShape, emailShape, typedUsername } from './names.ts'

export const userShape = z.object({
  id: userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  /** The path of the photo; null without one. */
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
  /** What this account shows to its contacts. */
  privacy: privacyShape,
})
export type User = z.infer<typeof userShape>

/** The user, and the server's half of the vault key if the session names a device [Note: V1]. */
export const signedInShape = userShape.extend({ unlock: unlockShape.nullable() })
export type SignedIn = z.infer<typeof signedInShape>

export const accountApi = {
  salt: endpoint({
    method: 'POST',
    path: '/api/login/salt',
    access: 'anyone',
    summary: 'The 16-byte salt of a username’s password; an unknown name gets one too, always the same.',
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
    bodyLimitBytes: LIMITS.keysCallBytes,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/login',
    access: 'anyone',
    summary:
      'Signs in. `deviceId` names a device of the account that this browser holds. `assertion` answers 401 biometric_required.',
    input: z.object({
      username: typedUsername,
      password: required('Password', LIMITS.passwordMax),
      kdf,
      deviceId: deviceId.optional(),
      /** What one of the account’s passkeys signed, where the account wants one beside the password [Note: K1]. */
      assertion: assertionShape.optional(),
    }),
    output: signedInShape,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/logout',
    access: 'anyone',
    summary:
      'Ends the session. `removeKeys` also deletes the unlock secret of the device that has signed for it, so that its vault stays shut; a sleeping session only ends.',
    input: z.object({ removeKeys: z.boolean().optional() }),
    output: done,
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
    bodyLimitBytes: LIMITS.bookCallBytes + LIMITS.keysCallBytes,
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
    whileAsleep: true,
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
  setPhoto: endpoint({
    method: 'PUT',
    path: '/api/profile-image',
    access: 'signed_in',
    rates: ['profile'],
    summary:
      'Makes an uploaded picture the profile photo, which the account’s mutual contacts see at once: the answered uploadURL without its query, or the object’s path. null removes the photo.',
    input: z.object({ profileImageURL: z.string({ error: 'Profile image URL is required' }).max(2000).nullable() }),
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
    bodyLimitBytes: LIMITS.keysCallBytes,
  }),
}
