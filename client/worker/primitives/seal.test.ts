import { createDecipheriv, createHash, createPublicKey, hkdfSync, verify as nodeVerify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { concat, encodeFields, fromUtf8, utf8 } from '../../../contract/ground/bytes.ts'
import {
  hkdf,
  keyPairOf,
  type Label,
  lockedKey,
  openFrom,
  openWith,
  pad,
  publicKeyOf,
  randomBytes,
  sealTo,
  sealWith,
  sha256,
  sign,
  unpad,
  verify,
} from './seal.ts'

const LABEL: Label = 'conclave/test/v1'
const OTHER: Label = 'conclave/other-test/v1'
const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

describe('sealed under a key', () => {
  test('It opens with the same key, label and context, and Node opens it by the same rules', async () => {
    const key = randomBytes(32)
    const sealed = await sealWith(key, LABEL, utf8('hello'), 'room', '7')
    expect(fromUtf8(await openWith(key, LABEL, sealed, 'room', '7'))).toBe('hello')
    const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
    cipher.setAAD(encodeFields(LABEL, 'room', '7')).setAuthTag(sealed.subarray(-16))
    expect(cipher.update(sealed.subarray(12, -16)).toString()).toBe('hello')
    cipher.final()
  })

  test('A locked key opens the same, and its bytes do not come back out', async () => {
    const raw = randomBytes(32)
    const key = await lockedKey(raw)
    const sealed = await sealWith(key, LABEL, utf8('hello'))
    expect(fromUtf8(await openWith(raw, LABEL, sealed))).toBe('hello')
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow()
  })

  test('Eve moves, relabels, cuts and changes it, and it does not open', async () => {
    const key = randomBytes(32)
    const sealed = await sealWith(key, LABEL, utf8('hello'), 'a', 'bc')
    const failure = { name: 'CryptoFailure', code: 'seal' }
    await expect(openWith(key, LABEL, sealed, 'ab', 'c')).rejects.toMatchObject(failure)
    await expect(openWith(key, OTHER, sealed, 'a', 'bc')).rejects.toMatchObject(failure)
    await expect(openWith(randomBytes(32), LABEL, sealed, 'a', 'bc')).rejects.toMatchObject(failure)
    for (const at of [0, 12, sealed.length - 1]) {
      await expect(openWith(key, LABEL, flipped(sealed, at), 'a', 'bc')).rejects.toMatchObject(failure)
    }
    for (const length of [0, 5, 12, 20]) {
      await expect(openWith(key, LABEL, sealed.subarray(0, length), 'a', 'bc')).rejects.toMatchObject(failure)
    }
  })

  test('The same text sealed twice shares no byte pattern', async () => {
    const key = randomBytes(32)
    expect(await sealWith(key, LABEL, utf8('hello'))).not.toEqual(await sealWith(key, LABEL, utf8('hello')))
  })
})

describe('sealed to a public key', () => {
  test('Only the seed behind the key opens it, with the same label and context', async () => {
    const bob = await keyPairOf(randomBytes(32))
    const eve = await keyPairOf(randomBytes(32))
    expect(bob.publicKey).toHaveLength(1216)
    expect((await keyPairOf(bob.seed)).publicKey).toEqual(bob.publicKey)
    const sealed = await sealTo(bob.publicKey, LABEL, utf8('hello'), 'room')
    expect(fromUtf8(await openFrom(bob.seed, LABEL, sealed, 'room'))).toBe('hello')
    const failure = { name: 'CryptoFailure', code: 'seal' }
    await expect(openFrom(eve.seed, LABEL, sealed, 'room')).rejects.toMatchObject(failure)
    await expect(openFrom(bob.seed, OTHER, sealed, 'room')).rejects.toMatchObject(failure)
    await expect(openFrom(bob.seed, LABEL, sealed, 'other')).rejects.toMatchObject(failure)
    await expect(openFrom(bob.seed, LABEL, sealed.subarray(0, 100), 'room')).rejects.toMatchObject(failure)
    await expect(openFrom(bob.seed, LABEL, flipped(sealed, 3), 'room')).rejects.toMatchObject(failure)
  })

  test('A seed makes the same key for ever: another one after an update of a library would lock everybody out', async () => {
    const { publicKey } = await keyPairOf(Uint8Array.from({ length: 32 }, (_, at) => at))
    expect(createHash('sha256').update(publicKey).digest('hex')).toBe(
      'e735f8e75ba7883aae5d6456ae03c14086b769d73502147370f2963b397e4d4a',
    )
  })

  test('A key of the wrong length is refused before anything is sealed to it', async () => {
    await expect(sealTo(randomBytes(1215), LABEL, utf8('hello'))).rejects.toMatchObject({ code: 'seal' })
  })
})

describe('signed', () => {
  test('It holds for the same label and fields, and Node agrees', () => {
    const seed = randomBytes(32)
    const signature = sign(seed, LABEL, 'a', 'bc')
    expect(verify(publicKeyOf(seed), signature, LABEL, 'a', 'bc')).toBe(true)
    const spki = concat(Buffer.from('302a300506032b6570032100', 'hex'), publicKeyOf(seed))
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    expect(nodeVerify(null, encodeFields(LABEL, 'a', 'bc'), key, signature)).toBe(true)
  })

  test('Eve shifts a border, changes the label, the key or the length, and it does not hold', () => {
    const seed = randomBytes(32)
    const key = publicKeyOf(seed)
    const signature = sign(seed, LABEL, 'a', 'bc')
    expect(verify(key, signature, LABEL, 'ab', 'c')).toBe(false)
    expect(verify(key, signature, OTHER, 'a', 'bc')).toBe(false)
    expect(verify(publicKeyOf(randomBytes(32)), signature, LABEL, 'a', 'bc')).toBe(false)
    expect(verify(key, flipped(signature, 40), LABEL, 'a', 'bc')).toBe(false)
    expect(verify(key, signature.subarray(1), LABEL, 'a', 'bc')).toBe(false)
    expect(verify(key.subarray(1), signature, LABEL, 'a', 'bc')).toBe(false)
  })

  test('A small-order key signs nothing: one signature would hold for every text', () => {
    const neutral = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0))
    expect(verify(neutral, concat(neutral, new Uint8Array(32)), LABEL, 'any text')).toBe(false)
  })
})

test('A derived key is what HKDF-SHA256 of Node makes of it, and a hash is bound to its label', async () => {
  const secret = randomBytes(32)
  const expected = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), encodeFields(LABEL, 'field'), 32))
  expect(Buffer.from(await hkdf(secret, LABEL, 'field'))).toEqual(expected)
  expect(sha256(LABEL, 'x')).not.toEqual(sha256(OTHER, 'x'))
})

describe('padding', () => {
  test('Every size comes back, and shows only its class', () => {
    for (const [length, size] of [
      [0, 256],
      [1, 256],
      [252, 256],
      [253, 512],
      [508, 512],
      [509, 1024],
      [5000, 8192],
    ] as const) {
      const bytes = randomBytes(length)
      expect(pad(bytes)).toHaveLength(size)
      expect(unpad(pad(bytes))).toEqual(bytes)
    }
  })

  test('Hidden bytes, a false length and a larger class than needed are refused', () => {
    const padded = pad(utf8('hello'))
    const failure = expect.objectContaining({ code: 'padding' })
    expect(() => unpad(flipped(padded, 255))).toThrow(failure)
    expect(() => unpad(flipped(padded, 0))).toThrow(failure)
    expect(() => unpad(flipped(padded, 3))).toThrow(failure)
    expect(() => unpad(concat(padded, new Uint8Array(256)))).toThrow(failure)
    expect(() => unpad(padded.subarray(0, 100))).toThrow(failure)
    expect(() => unpad(new Uint8Array())).toThrow(failure)
  })
})
