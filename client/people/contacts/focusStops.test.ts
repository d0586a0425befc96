import { expect, test } from 'vitest'
import { stopAfter } from './focusStops.ts'

test('the keys of a list reach every row, its ends and the field above it, and never leave it', () => {
  const from = (at: number, key: string) => stopAfter(key, { at, last: 1000, pageRows: 8 })
  expect([from(0, 'ArrowDown'), from(1, 'ArrowUp'), from(500, 'ArrowUp'), from(500, 'ArrowDown')]).toEqual([1, 0, 499, 501])
  expect([from(500, 'Home'), from(500, 'End')]).toEqual([1, 1000])
  expect([from(500, 'PageUp'), from(500, 'PageDown'), from(4, 'PageUp'), from(996, 'PageDown')]).toEqual([492, 508, 1, 1000])
  expect([from(0, 'ArrowUp'), from(1000, 'ArrowDown')]).toEqual([0, 1000])
  expect(stopAfter('PageDown', { at: 5, last: 9, pageRows: 0 })).toBe(6)
})

test('in the search field Home, End and the keys for a page stay with the text, and letters are never taken', () => {
  for (const key of ['Home', 'End', 'PageUp', 'PageDown']) expect(stopAfter(key, { at: 0, last: 9, pageRows: 8 })).toBeUndefined()
  expect(stopAfter('a', { at: 3, last: 9, pageRows: 8 })).toBeUndefined()
})
