import { ed25519 } from '@noble/curves/ed25519.js'
import { type Bytes, concat, toBase64 } from '../../../contract/ground/bytes.ts'
import { remembering } from './memo.ts'

const { Point } = ed25519
/** RFC 8032 section 5.1: the field's prime and the order of the base point. */
const PRIME = Point.Fp.ORDER
const ORDER = Point.Fn.ORDER

/** Verifies an Ed25519 signature (64 bytes) by the strict rules of RFC 8032: no small-order key, no non-canonical encoding. */
export function verifyStrict(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  return ed25519.verify(signature, message, publicKey, { zip215: false })
}

/**
 * Verifies as `verifyStrict` does, but first by the browser's own Ed25519, if it has one, which is several times as fast. Two
 * verifiers that disagree would let one member split a room, and browsers differ in corner cases. If key, R and S have canonical
 * encodings and the key has no small order, a browser that accepts, with or without the cofactor, agrees with the strict rules. If
 * it rejects, the strict rules decide.
 */
export async function verifyQuickly(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const key = await nativeKey(publicKey)
  const isPlain = key && littleEndian(signature.subarray(32)) < ORDER && isPlainR(signature.subarray(0, 32))
  if (isPlain && (await crypto.subtle.verify('Ed25519', key, concat(signature), concat(message)))) return true
  return verifyStrict(publicKey, signature, message)
}

/** PKCS #8 of a 32-byte Ed25519 private key without the key itself (RFC 8410 section 7). */
const PKCS8 = Uint8Array.from([0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20])

// A seed is imported once, and its key goes with the seed's bytes. No text that holds it is ever made.
const signers = new WeakMap<Uint8Array, Promise<CryptoKey | undefined>>()

/**
 * Signs by Ed25519 (64 bytes), by the browser's own if it has one, which is several times as fast. Signatures are deterministic
 * (RFC 8032), so the bytes are the same. The seed's array must not be changed later.
 */
export async function signQuickly(seed: Uint8Array, message: Uint8Array): Promise<Bytes> {
  const signer = signers.get(seed) ?? importSigner(seed)
  signers.set(seed, signer)
  const key = await signer
  return key ? new Uint8Array(await crypto.subtle.sign('Ed25519', key, concat(message))) : concat(ed25519.sign(message, seed))
}

const importSigner = (seed: Uint8Array): Promise<CryptoKey | undefined> =>
  orNone(() => crypto.subtle.importKey('pkcs8', concat(PKCS8, seed), 'Ed25519', false, ['sign']))

// Imported keys are cached, because the same few devices sign most messages.
const keys = remembering<Promise<CryptoKey | undefined>>(64)
const nativeKey = (publicKey: Uint8Array): Promise<CryptoKey | undefined> =>
  keys(toBase64(publicKey), () => importKey(publicKey)) ?? Promise.resolve(undefined)

/** Imports a key; undefined if the strict rules refuse it or the browser has no Ed25519. */
async function importKey(publicKey: Uint8Array): Promise<CryptoKey | undefined> {
  return isSound(publicKey)
    ? await orNone(() => crypto.subtle.importKey('raw', concat(publicKey), 'Ed25519', false, ['verify']))
    : undefined
}

/** undefined if the browser has no Ed25519. */
async function orNone(importing: () => Promise<CryptoKey>): Promise<CryptoKey | undefined> {
  try {
    return await importing()
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}

function isSound(publicKey: Uint8Array): boolean {
  try {
    return !Point.fromBytes(publicKey, false).isSmallOrder()
  } catch {
    // The bytes are no canonical encoding of a point. `verifyStrict` rejects them too.
    return false
  }
}

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** True if y is below the prime and R is not one of the points with x = 0, which have a second encoding and no honest use. */
function isPlainR(point: Uint8Array): boolean {
  const y = littleEndian(point) & ((1n << 255n) - 1n)
  return y > 1n && y < PRIME - 1n
}
