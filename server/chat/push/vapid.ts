import { createECDH, generateKeyPairSync } from 'node:crypto'

/** Makes a P-256 private key of 32 bytes, by which push services know this server (RFC 8292). */
export function newVapidKey(): Buffer {
  const { d = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return Buffer.from(d, 'base64url')
}

/** Returns the public key of a private one: 65 bytes in base64url. */
export function publicVapidKey(privateKey: Uint8Array): string {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(privateKey)
  return curve.getPublicKey('base64url')
}

/** True for a point of P-256, as a browser's key must be to encrypt to it. */
export function isPublicKey(key: Buffer): boolean {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  try {
    curve.computeSecret(key)
    return true
  } catch {
    return false
  }
}
