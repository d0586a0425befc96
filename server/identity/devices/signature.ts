import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'

/**
 * RFC 8032's strict rules: no small-order key, no non-canonical encoding. OpenSSL is ten times as fast and checks all but the
 * key. JavaScript decides what OpenSSL, without the cofactor, rejects.
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
    // The bytes are no canonical point.
    return false
  }
}

const keyOf = (publicKey: Uint8Array) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' })
