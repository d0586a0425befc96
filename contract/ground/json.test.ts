import { expect, test } from 'vitest'
import { isWithinBounds } from './json.ts'

const bounds = { depthMax: 3, membersMax: 5 }

test.each([
  ['{"a":1,"b":[1,2]}', true],
  ['[1,2,3,4,5]', true],
  ['[1,2,3,4,5,6]', false],
  ['[[[1]]]', true],
  ['[[[[1]]]]', false],
  ['[[],[],[]]', false],
  ['', true],
  ['"cut short, and,so,on,and,on', true],
])('%s is within three levels and five members: %s', (text, isFine) => {
  expect(isWithinBounds(text, bounds)).toBe(isFine)
})

test('what stands inside a string does not count, escaped quotes and backslashes included', () => {
  for (const word of ['[[[[[', ',,,,,,', '"[[[[,,,,,', '\\', '\\"[[[[', '{"a":[[[[', '\\\\"']) {
    expect(isWithinBounds(JSON.stringify([word, word]), bounds), word).toBe(true)
  }
  expect(isWithinBounds(`["\\\\",${JSON.stringify([1, 2, 3, 4])}]`, bounds)).toBe(false)
})
