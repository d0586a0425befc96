import { XWing } from '@hpke/hybridkem-x-wing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { randomBytes } from './seal.ts'
import { xWing } from './xwing.ts'

const library = new XWing()
const quick = xWing()
const secretOf = (kem: XWing, pair: CryptoKeyPair, enc: ArrayBuffer) => kem.decap({ recipientKey: pair.privateKey, enc })
const publicOf = async (kem: XWing, seed: Uint8Array) => {
  const pair = await kem.deriveKeyPair(seed.slice().buffer)
  return { pair, publicKey: new Uint8Array(await kem.serializePublicKey(pair.publicKey)) }
}

/** Points of small order, and one in a second encoding: the shared secret with each is zero. */
const ODD_POINTS = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))

afterEach(() => vi.restoreAllMocks())

describe('a key is exchanged by the browser as by the library, byte for byte', () => {
  test('the same keys from the same seed, and the same secret at both ends, whoever sealed', async () => {
    const seed = randomBytes(32)
    const ekm = randomBytes(64).buffer
    const [slow, fast] = [await publicOf(library, seed), await publicOf(quick, seed)]
    expect(fast.publicKey).toEqual(slow.publicKey)
    const bySlow = await library.encap({ recipientPublicKey: slow.pair.publicKey, ekm })
    const byFast = await quick.encap({ recipientPublicKey: fast.pair.publicKey, ekm })
    expect(byFast).toEqual(bySlow)
    expect(await secretOf(quick, fast.pair, bySlow.enc)).toEqual(bySlow.sharedSecret)
    expect(await secretOf(library, slow.pair, byFast.enc)).toEqual(byFast.sharedSecret)
  })

  test('the browser does each X25519, and one that has none changes no byte', async () => {
    const native = vi.spyOn(crypto.subtle, 'deriveBits')
    const seed = randomBytes(32)
    const { pair, publicKey } = await publicOf(quick, seed)
    expect(native).toHaveBeenCalledTimes(1)
    const { enc, sharedSecret } = await quick.encap({ recipientPublicKey: pair.publicKey })
    expect(native).toHaveBeenCalledTimes(3)
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('no such algorithm', 'NotSupportedError'))
    expect((await publicOf(quick, seed)).publicKey).toEqual(publicKey)
    expect(await secretOf(quick, pair, enc)).toEqual(sharedSecret)
  })

  test('a point that yields nothing is judged by the library, for all browsers alike', async () => {
    const { pair, publicKey } = await publicOf(quick, randomBytes(32))
    const { enc } = await quick.encap({ recipientPublicKey: pair.publicKey })
    for (const point of ODD_POINTS) {
      const odd = new Uint8Array(enc.slice(0))
      odd.set(point, 1088)
      const outcome = (kem: XWing) => secretOf(kem, pair, odd.buffer).then(String, (error: Error) => error.name)
      expect(await outcome(quick)).toBe(await outcome(library))
      const oddKey = publicKey.slice()
      oddKey.set(point, 1184)
      const sealing = async (kem: XWing) =>
        kem.encap({ recipientPublicKey: await kem.deserializePublicKey(oddKey.buffer) }).then(
          () => 'sealed',
          (error: Error) => error.name,
        )
      expect(await sealing(quick)).toBe(await sealing(library))
    }
  })
})
