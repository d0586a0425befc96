import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import { PASSWORD_KDF } from '../../../contract/account/password.ts'
import { encodeFields } from '../../../contract/ground/bytes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { GiveBack } from '../../ground/http/limits.ts'
import { Refusal } from '../../refuse.ts'

const SALT_BYTES = 16
const AUTH_SECRET = /^[A-Za-z0-9_-]{43}$/
/** Each derivation uses 64 MiB of memory. */
const DERIVATIONS_AT_ONCE = 2
const DERIVATIONS_WAITING = 32

/** Returns the salt of a username, whether or not an account has the name [Note: P1]. */
export const saltFor = (env: Env, username: string): Buffer =>
  createHmac('sha256', env.saltKey).update(username.toLowerCase()).digest().subarray(0, SALT_BYTES)

/** Returns the stored verifier: SHA-256 of the authSecret. With kdf 1 `password` already is the authSecret [Note: P1, P2]. */
export async function verifierOf(username: string, salt: Uint8Array, password: string, kdf: 1 | undefined): Promise<Buffer> {
  return hashOfSecret(kdf === 1 ? password : await deriveAuthSecret(username, salt, password))
}

/**
 * Returns the verifier of a chat password. What a browser sends is stretched already and has the form of an authSecret; a program's
 * password is stretched here [Note: L1]. Throws Refusal when busy.
 */
export const verifierOfSecret = (salt: Uint8Array, password: string): Promise<Buffer> =>
  verifierOf('', salt, password, AUTH_SECRET.test(password) ? 1 : undefined)

export const newSalt = (): Buffer => randomBytes(SALT_BYTES)

/** Hashes an authSecret or a recovery kit's secret for storage. 32 random bytes need no slow hash [Note: P1, K1]. */
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Counts a guess by its session: guesses cost no less than at sign-in, and take no attempts from others. Returns what takes a
 * right one off again. Throws Refusal.
 */
export const countGuess = (env: Env, { sessionHash }: SignedInUser): Promise<GiveBack> => env.limits.take('guesses', sessionHash)

/** Throws Refusal unless the text has the form of an authSecret, so that a browser that sends the typed password fails. */
export function requireAuthSecret(password: string): void {
  if (!AUTH_SECRET.test(password))
    throw new Refusal('invalid_input', { text: 'With kdf 1 the password is 43 characters of base64url' })
}

/** Derives the authSecret as a browser does: 43 characters of base64url [Note: P1]. Throws Refusal when busy. */
export async function deriveAuthSecret(username: string, salt: Uint8Array, password: string): Promise<string> {
  const fullSalt = createHash('sha256')
    .update(encodeFields(PASSWORD_KDF.saltLabel, username.toLowerCase(), salt))
    .digest()
  const root = await inTurn(() =>
    // Argon2id is the library's default; its enum does not survive isolated modules.
    hashRaw(Buffer.from(password.normalize('NFKC'), 'utf8'), {
      salt: fullSalt,
      memoryCost: PASSWORD_KDF.memoryKiB,
      timeCost: PASSWORD_KDF.passes,
      parallelism: PASSWORD_KDF.lanes,
      outputLen: PASSWORD_KDF.bytes,
    }),
  )
  const authSecret = hkdfSync('sha256', root, new Uint8Array(), encodeFields(PASSWORD_KDF.authLabel), 32)
  return Buffer.from(authSecret).toString('base64url')
}

// The queue is global because the process's memory is what it protects.
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(derive: () => Promise<T>): Promise<T> {
  if (running >= DERIVATIONS_AT_ONCE) {
    if (waiting.length >= DERIVATIONS_WAITING) throw new Refusal('unavailable', { retryAfterSeconds: 5 })
    await new Promise<void>((start) => waiting.push(start))
  } else running++
  try {
    return await derive()
  } finally {
    // The slot passes to the next waiter, so that a new caller cannot overtake.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
