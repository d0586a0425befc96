import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'

/**
 * Verifies an Ed25519 signature (64 bytes) by the strict rules of RFC 8032: no small-order key, no non-canonical encoding. OpenSSL
 * verifies a long document in a tenth of the time that JavaScript takes. It checks all of the rules but those of the key, so what
 * it accepts holds if the key is sound. What it rejects is decided by the strict rules in JavaScript, as in browsers: OpenSSL
 * computes without the cofactor, and a verdict must not depend on that.
 */
export function isSigned(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  if (isSound(publicKey) && verify(null, message, keyOf(publicKey), signature)) return true
  return ed25519.verify(signature, message, publicKey, { zip215: false })
}

function isSound(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey, false).isSmallOrder()
  } catch {
    // The bytes are no canonical encoding of a point. The strict rules reject them too.
    return false
  }
}

const keyOf = (publicKey: Uint8Array) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' })
