import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const TEXT_BYTES = 9

/** Seals a number for the account. One number has one token: the nonce is made of both. */
export function sealNumber(secret: Uint8Array, userId: string, number: number): string {
  const text = Buffer.alloc(TEXT_BYTES, VERSION)
  text.writeBigUInt64BE(BigInt(number), 1)
  const nonce = derived(secret, `nonce ${userId} ${number}`).subarray(0, NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derived(secret, 'key'), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(userId))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Returns undefined for anything but a token of that account. */
export function openNumber(secret: Uint8Array, userId: string, token: string): number | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== NONCE_BYTES + TEXT_BYTES + TAG_BYTES) return undefined
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', derived(secret, 'key'), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(userId))
  decipher.setAuthTag(bytes.subarray(end))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()])
    return text[0] === VERSION ? Number(text.readBigUInt64BE(1)) : undefined
  } catch {
    return undefined
  }
}

const derived = (secret: Uint8Array, label: string): Buffer =>
  createHmac('sha256', secret).update(`conclave/inbox/v1 ${label}`).digest()
