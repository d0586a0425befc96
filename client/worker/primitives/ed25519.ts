import { ed25519 } from '@noble/curves/ed25519.js'
import { type Bytes, concat, toBase64 } from '../../../contract/ground/bytes.ts'
import { remembering } from './memo.ts'

const { Point } = ed25519
/** RFC 8032 section 5.1. */
const FIELD_PRIME = Point.Fp.ORDER
const BASE_POINT_ORDER = Point.Fn.ORDER

/** Verifies by the strict rules [Note: C4]: key of 32 bytes, signature of 64. Other lengths are false. */
export function verifyStrict(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  return ed25519.verify(signature, message, publicKey, { zip215: false })
}

/**
 * Gives the result of `verifyStrict`, sooner where the browser has Ed25519. Its yes counts for canonical encodings only [Note:
 * C4].
 */
export async function verifyQuickly(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const key = await nativeKey(publicKey)
  const isCanonical = key && littleEndian(signature.subarray(32)) < BASE_POINT_ORDER && isCanonicalR(signature.subarray(0, 32))
  if (isCanonical && (await crypto.subtle.verify('Ed25519', key, concat(signature), concat(message)))) return true
  return verifyStrict(publicKey, signature, message)
}

/** RFC 8410 section 7: what stands before the 32 bytes. */
const PKCS8_HEADER = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
])

// A WeakMap: the imported key goes with the seed, and no text ever holds the seed.
const signers = new WeakMap<Uint8Array, Promise<CryptoKey | undefined>>()

/**
 * Makes the bytes that `sign` makes (64), sooner where the browser has Ed25519. Danger: never change the array `seed`
 * afterwards.
 */
export async function signQuickly(seed: Uint8Array, message: Uint8Array): Promise<Bytes> {
  const signer = signers.get(seed) ?? importSigner(seed)
  signers.set(seed, signer)
  const key = await signer
  return key ? new Uint8Array(await crypto.subtle.sign('Ed25519', key, concat(message))) : concat(ed25519.sign(message, seed))
}

const importSigner = (seed: Uint8Array): Promise<CryptoKey | undefined> =>
  ifSupported(() => crypto.subtle.importKey('pkcs8', concat(PKCS8_HEADER, seed), 'Ed25519', false, ['sign']))

// The same few devices sign most messages.
const keys = remembering<Promise<CryptoKey | undefined>>(64)
const nativeKey = (publicKey: Uint8Array): Promise<CryptoKey | undefined> =>
  keys(toBase64(publicKey), () => importKey(publicKey)) ?? Promise.resolve(undefined)

/** undefined: the strict rules refuse the key, or the browser has no Ed25519. */
async function importKey(publicKey: Uint8Array): Promise<CryptoKey | undefined> {
  return isStrictKey(publicKey)
    ? await ifSupported(() => crypto.subtle.importKey('raw', concat(publicKey), 'Ed25519', false, ['verify']))
    : undefined
}

async function ifSupported(importing: () => Promise<CryptoKey>): Promise<CryptoKey | undefined> {
  try {
    return await importing()
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}

function isStrictKey(publicKey: Uint8Array): boolean {
  try {
    return !Point.fromBytes(publicKey, false).isSmallOrder()
  } catch {
    // `verifyStrict` refuses these bytes too.
    return false
  }
}

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** Excludes R with x = 0 [Note: C4]. */
function isCanonicalR(point: Uint8Array): boolean {
  const y = littleEndian(point) & ((1n << 255n) - 1n)
  return y > 1n && y < FIELD_PRIME - 1n
}
