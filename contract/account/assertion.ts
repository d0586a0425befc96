import { z } from 'zod'

/** Passkeys of an account that sign in, characters of a name, and bytes of an id, by which the keyring names a way in. */
export const PASSKEY_LIMITS = { max: 10, nameMax: 40, idBytes: 288 } as const

/** Base64url without padding, of at most `max` bytes. */
export const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((max * 4) / 3))
    .regex(/^[A-Za-z0-9_-]+$/)

/** The id of a passkey, as WebAuthn names the credential. */
export const passkeyId = base64url(PASSKEY_LIMITS.idBytes)

/** 56 bytes: time, random bytes and the server's HMAC of them, which a passkey signs within two minutes [Note: K1]. */
export const passkeyChallenge = base64url(56)

/**
 * What a passkey signs at a sign-in (WebAuthn section 5.2.2), field by field. A page never sends the credential's own JSON, which
 * also holds what opens the keys [Note: K1].
 */
export const assertionShape = z.object({
  id: passkeyId,
  authenticatorData: base64url(2048),
  clientDataJSON: base64url(2048),
  signature: base64url(1024),
  /** The user id, as the passkey keeps it. A passkey that the server has named may leave it out. */
  userHandle: base64url(64).optional(),
})
export type Assertion = z.infer<typeof assertionShape>

/** `details` of the refusal `biometric_required`: what the passkey is to sign, and the account's passkeys of this address. */
export const factorDetails = z.object({ challenge: passkeyChallenge, ids: z.array(passkeyId).max(PASSKEY_LIMITS.max) })
export type FactorDetails = z.infer<typeof factorDetails>
