import { expect, test } from 'vitest'
import { tintOf } from './tint.ts'

test('A person has the same tint everywhere, and forty people do not share four of them', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)
  const tints = ids.map(tintOf)
  expect(ids.map(tintOf)).toEqual(tints)
  expect(new Set(tints).size).toBe(8)
})
