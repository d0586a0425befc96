import { ed25519 } from '@noble/curves/ed25519.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { concat, utf8 } from '../../../contract/ground/bytes.ts'
import { signQuickly, verifyQuickly, verifyStrict } from './ed25519.ts'

const { Point } = ed25519
const text = utf8('what Alice wrote')
const pair = () => ed25519.keygen()
const bytesOf = (number: bigint) => Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * at)) & 255n))
const numberOf = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** Points of order 1, 2, 4 and 8, some of them in a non-canonical encoding (y + p). */
const ODD_KEYS = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))

afterEach(() => vi.restoreAllMocks())

describe('the browser is quick, the strict rules decide', () => {
  test('what holds is told by the browser alone', async () => {
    const { secretKey, publicKey } = pair()
    const native = vi.spyOn(crypto.subtle, 'verify')
    expect(await verifyQuickly(publicKey, ed25519.sign(text, secretKey), text)).toBe(true)
    expect(native).toHaveBeenCalledTimes(1)
    expect(await verifyQuickly(publicKey, ed25519.sign(text, secretKey), utf8('what Eve wrote'))).toBe(false)
  })

  test('a browser that has no Ed25519, or finds nothing to hold, changes no verdict', async () => {
    const { secretKey, publicKey } = pair()
    const signature = ed25519.sign(text, secretKey)
    vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(false)
    expect(await verifyQuickly(publicKey, signature, text)).toBe(true)
    const other = pair()
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('no such algorithm', 'NotSupportedError'))
    expect(await verifyQuickly(other.publicKey, ed25519.sign(text, other.secretKey), text)).toBe(true)
    expect(await verifyQuickly(other.publicKey, signature, text)).toBe(false)
  })

  test('a browser that says yes too easily is not asked about keys and signatures in odd form', async () => {
    const easy = vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(true)
    for (const key of ODD_KEYS) expect(await verifyQuickly(key, concat(key, new Uint8Array(32)), text)).toBe(false)
    const { secretKey, publicKey } = pair()
    const signature = ed25519.sign(text, secretKey)
    const again = concat(signature.subarray(0, 32), bytesOf(numberOf(signature.subarray(32)) + Point.Fn.ORDER))
    expect(await verifyQuickly(publicKey, again, text)).toBe(false)
    // y + p is below 2^255 only for y < 19.
    const secondR = bytesOf(Point.Fp.ORDER + 1n)
    expect(await verifyQuickly(publicKey, concat(secondR, signature.subarray(32)), text)).toBe(false)
    expect(await verifyQuickly(publicKey, signature.subarray(1), text)).toBe(false)
    expect(await verifyQuickly(publicKey.subarray(1), signature, text)).toBe(false)
    expect(easy).not.toHaveBeenCalled()
  })

  test('a key with a small part beside its own, which verifiers judge differently: the strict rules, for all alike', async () => {
    const torsion = Point.fromHex(Buffer.from(ODD_KEYS[3] ?? []).toString('hex'), false)
    for (let at = 0; at < 16; at++) {
      const { secretKey, publicKey } = pair()
      const mixed = Point.fromBytes(publicKey).add(torsion).toBytes()
      const message = concat(text, Uint8Array.of(at))
      // The key is the signer's key plus a small-order point. The signature holds with the cofactor, and by chance without it.
      const { scalar, prefix } = ed25519.utils.getExtendedPublicKey(secretKey)
      const r = numberOf(prefix) % Point.Fn.ORDER
      const R = Point.BASE.multiply(r).toBytes()
      const { createHash } = await import('node:crypto')
      const hash = createHash('sha512')
        .update(concat(R, mixed, message))
        .digest()
      const k = numberOf(hash) % Point.Fn.ORDER
      const signature = concat(R, bytesOf((r + k * scalar) % Point.Fn.ORDER))
      expect(verifyStrict(mixed, signature, message)).toBe(true)
      expect(await verifyQuickly(mixed, signature, message)).toBe(true)
    }
  })
})

describe('the browser signs', () => {
  test('the same bytes as the strict rules, with one import of the seed', async () => {
    const importing = vi.spyOn(crypto.subtle, 'importKey')
    const { secretKey } = pair()
    for (const words of ['one', 'two', '']) {
      expect(await signQuickly(secretKey, utf8(words))).toEqual(Uint8Array.from(ed25519.sign(utf8(words), secretKey)))
    }
    expect(importing).toHaveBeenCalledTimes(1)
  })

  test('a browser without Ed25519 signs as well', async () => {
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('no such algorithm', 'NotSupportedError'))
    const { secretKey } = pair()
    expect(await signQuickly(secretKey, text)).toEqual(Uint8Array.from(ed25519.sign(text, secretKey)))
  })
})
