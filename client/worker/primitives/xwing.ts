import { XWing } from '@hpke/hybridkem-x-wing'
import { concat } from '../../../contract/ground/bytes.ts'

/** The X25519 of the library: the shared secret (32 bytes) of a private key and a point. Rejects for a result of zeros. */
interface Curve {
  derive(secret: Uint8Array, point: Uint8Array): Promise<Uint8Array>
}

/** PKCS #8 of a 32-byte X25519 private key without the key itself (RFC 8410 section 7). */
const PKCS8 = Uint8Array.from([0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20])

/**
 * The X-Wing KEM (draft-connolly-cfrg-xwing-kem), with the browser's own X25519 if it has one, which is several times as fast.
 * X25519 gives every input one result (RFC 7748), so the bytes are the same; what the browser refuses, the library decides.
 */
export function xWing(): XWing {
  const kem = new XWing()
  // The library has no setting for its curve. Its version is pinned, and a test fails if the curve is no longer reached this way.
  const inJavaScript: Curve = Reflect.get(kem, '_x25519')
  Reflect.set(kem, '_x25519', {
    derive: async (secret: Uint8Array, point: Uint8Array) =>
      (await deriveByBrowser(secret, point)) ?? inJavaScript.derive(secret, point),
  })
  return kem
}

/** undefined: the browser has no X25519, or refuses the point. */
async function deriveByBrowser(secret: Uint8Array, point: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const [key, publicKey] = await Promise.all([
      crypto.subtle.importKey('pkcs8', concat(PKCS8, secret), 'X25519', false, ['deriveBits']),
      crypto.subtle.importKey('raw', concat(point), 'X25519', false, []),
    ])
    return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: publicKey }, key, 256))
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}
