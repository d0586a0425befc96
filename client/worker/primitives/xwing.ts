import { XWing } from '@hpke/hybridkem-x-wing'
import { concat } from '../../../contract/ground/bytes.ts'

/** The library's X25519 (32 bytes each). Rejects a result of zeros. */
interface Curve {
  derive(secret: Uint8Array, point: Uint8Array): Promise<Uint8Array>
}

/** RFC 8410 section 7: what stands before the 32 bytes. */
const PKCS8_HEADER = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20,
])

/** The X-Wing KEM (draft-connolly-cfrg-xwing-kem), by the browser's X25519 if it has one: the bytes are the same [Note: C5]. */
export function xWing(): XWing {
  const kem = new XWing()
  // The library has no setting for this. Its version is pinned, and a test fails if another curve is called.
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
      crypto.subtle.importKey('pkcs8', concat(PKCS8_HEADER, secret), 'X25519', false, ['deriveBits']),
      crypto.subtle.importKey('raw', concat(point), 'X25519', false, []),
    ])
    return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: publicKey }, key, 256))
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}
