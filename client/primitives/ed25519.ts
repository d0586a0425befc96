import { ed25519 } from '@noble/curves/ed25519.js'
import { concat, toBase64 } from '../../contract/bytes.ts'
import { remembering } from './memo.ts'

const { Point } = ed25519
/** RFC 8032 section 5.1: the field's prime and the order of the base point. */
const PRIME = Point.Fp.ORDER
const ORDER = Point.Fn.ORDER

/** True if an Ed25519 signature (64 bytes) holds, by the strict rules of RFC 8032: no small-order key, no second encoding. */
export function verifyStrict(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  return ed25519.verify(signature, message, publicKey, { zip215: false })
}

/**
 * The same, by the browser's own Ed25519 where it has one: several times as fast. Only its yes counts. Browsers differ in corner
 * cases, and where two verifiers differ, one member can split a room; but once key, R and S are in their one encoding and the key
 * is of no small order, whoever finds the equation to hold, with the cofactor or without, finds what the strict rules find. After
 * a no they decide.
 */
export async function verifyQuickly(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const key = await nativeKey(publicKey)
  const isPlain = key && littleEndian(signature.subarray(32)) < ORDER && isPlainR(signature.subarray(0, 32))
  if (isPlain && (await crypto.subtle.verify('Ed25519', key, concat(signature), concat(message)))) return true
  return verifyStrict(publicKey, signature, message)
}

// The same few devices write again and again.
const keys = remembering<Promise<CryptoKey | undefined>>(64)
const nativeKey = (publicKey: Uint8Array): Promise<CryptoKey | undefined> =>
  keys(toBase64(publicKey), () => importKey(publicKey)) ?? Promise.resolve(undefined)

/** undefined: a key that the strict rules refuse, or a browser without Ed25519. */
async function importKey(publicKey: Uint8Array): Promise<CryptoKey | undefined> {
  if (!isSound(publicKey)) return undefined
  try {
    return await crypto.subtle.importKey('raw', concat(publicKey), 'Ed25519', false, ['verify'])
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}

function isSound(publicKey: Uint8Array): boolean {
  try {
    return !Point.fromBytes(publicKey, false).isSmallOrder()
  } catch {
    // No point of the curve in its one encoding: the strict rules say why.
    return false
  }
}

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** y below the prime; the two points with x = 0 have a second encoding by the sign, and no honest signature has them. */
function isPlainR(point: Uint8Array): boolean {
  const y = littleEndian(point) & ((1n << 255n) - 1n)
  return y > 1n && y < PRIME - 1n
}
