import { expect, test } from 'vitest'
import { LIMITS } from '../ground/limits.ts'
import { uploaderApi } from './files.ts'
import { objectIdOf, objectPath, paddedBytes, sealedMaxBytes } from './objects.ts'

test('A padded size takes its bytes, tells little of them, and is padded no further', () => {
  for (const sealed of [0, 1, 4096, 4097, 65_536, 1_000_000, LIMITS.fileBytes]) {
    const padded = paddedBytes(sealed)
    expect(padded).toBeGreaterThanOrEqual(sealed)
    expect(padded).toBeLessThanOrEqual(Math.max(4096, sealed * 1.125))
    expect(paddedBytes(padded)).toBe(padded)
  }
  const sizes = new Set(Array.from({ length: 100_000 }, (_, at) => paddedBytes(at * 100)))
  expect(sizes.size).toBeLessThan(300)
})

test('The largest sealed file is that of the largest file', () => {
  expect(sealedMaxBytes(LIMITS.fileBytes)).toBe(LIMITS.sealedFileBytes)
  expect(sealedMaxBytes(0)).toBe(0)
})

test('An address leads to its object whatever stands behind its path', () => {
  const id = '6f1c8a52-7d1e-4c0a-9d0f-0c5b2f6f7a11'
  expect(objectIdOf(`${objectPath(id)}?expires=1&signature=x`)).toBe(id)
  expect(objectIdOf(`https://any.example${objectPath(id)}`)).toBe(id)
  expect(objectIdOf(`${objectPath(id)}/../x`)).toBeUndefined()
})

test('Signing without a key, an upload or a part number is refused in the uploader’s words', () => {
  const uploadId = '6f1c8a52-7d1e-4c0a-9d0f-0c5b2f6f7a11'
  const words = 'Cannot sign without a key, an uploadId, and a partNumber'
  for (const input of [
    { uploadId, partNumber: '1' },
    { uploadId, key: uploadId, partNumber: '0' },
    { uploadId, key: uploadId },
    { uploadId: 'undefined', key: uploadId, partNumber: '1' },
    { key: uploadId, partNumber: '1' },
  ]) {
    expect(uploaderApi.sign.input.safeParse(input).error?.issues[0]?.message).toBe(words)
  }
})
