import { type Bytes, concat } from '../../../contract/ground/bytes.ts'

/**
 * AES-256-GCM (NIST SP 800-38D): key 32 bytes, nonce 12, never twice the same under one key. Rejects if the tag does not hold.
 */
export async function aesGcm(
  way: 'encrypt' | 'decrypt',
  { key, nonce, aad }: { key: Uint8Array; nonce: Uint8Array; aad: Uint8Array },
  text: Uint8Array,
): Promise<Bytes> {
  const aes = await crypto.subtle.importKey('raw', concat(key), 'AES-GCM', false, [way])
  const algorithm = { name: 'AES-GCM', iv: concat(nonce), additionalData: concat(aad) }
  return new Uint8Array(await crypto.subtle[way](algorithm, aes, concat(text)))
}
