import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { expect, test } from 'vitest'
import { concat, utf8 } from '../../../contract/ground/bytes.ts'
import { isSigned } from './signature.ts'

const { Point } = ed25519
const text = utf8('what Alice ordered')
const bytesOf = (number: bigint) => Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * at)) & 255n))
const numberOf = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
const hex = (digits: string) => Uint8Array.from(Buffer.from(digits, 'hex'))

/** The neutral point, and one of order 8. */
const NEUTRAL = hex('0100000000000000000000000000000000000000000000000000000000000000')
const OF_ORDER_8 = hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')

test('a signature holds for its text and key, and for no other text, key or length', () => {
  const [{ secretKey, publicKey }, eve] = [ed25519.keygen(), ed25519.keygen()]
  const signature = ed25519.sign(text, secretKey)
  expect(isSigned(publicKey, signature, text)).toBe(true)
  expect(isSigned(publicKey, signature, utf8('what Eve ordered'))).toBe(false)
  expect(isSigned(eve.publicKey, signature, text)).toBe(false)
  expect(isSigned(publicKey, signature.subarray(1), text)).toBe(false)
  expect(isSigned(publicKey.subarray(1), signature, text)).toBe(false)
})

test("Eve's key of a small order, under which one signature would hold for every text, signs nothing", () => {
  // With the neutral point as key, R = B and s = 1 hold whatever the text is.
  const forAll = concat(Point.BASE.toBytes(), bytesOf(1n))
  expect(isSigned(NEUTRAL, forAll, text)).toBe(false)
  expect(isSigned(OF_ORDER_8, forAll, text)).toBe(false)
  // The same key in a second encoding: y + p.
  expect(isSigned(bytesOf(Point.Fp.ORDER + 1n), forAll, text)).toBe(false)
})

test('nobody makes a second signature from a first one', () => {
  const { secretKey, publicKey } = ed25519.keygen()
  const signature = ed25519.sign(text, secretKey)
  const again = concat(signature.subarray(0, 32), bytesOf(numberOf(signature.subarray(32)) + Point.Fn.ORDER))
  expect(isSigned(publicKey, again, text)).toBe(false)
})

test('a key with a small part beside its own, which verifiers judge differently, is judged as in browsers', () => {
  const torsion = Point.fromHex(Buffer.from(OF_ORDER_8).toString('hex'), false)
  for (let at = 0; at < 16; at++) {
    const { secretKey, publicKey } = ed25519.keygen()
    const mixed = Point.fromBytes(publicKey).add(torsion).toBytes()
    const message = concat(text, Uint8Array.of(at))
    const { scalar, prefix } = ed25519.utils.getExtendedPublicKey(secretKey)
    const r = numberOf(prefix) % Point.Fn.ORDER
    const R = Point.BASE.multiply(r).toBytes()
    const hash = createHash('sha512').update(R).update(mixed).update(message).digest()
    const signature = concat(R, bytesOf((r + (numberOf(hash) % Point.Fn.ORDER) * scalar) % Point.Fn.ORDER))
    expect(isSigned(mixed, signature, message)).toBe(true)
  }
})
