import { expect, test } from 'vitest'
import { base64, base64Of } from './shapes.ts'

test('what is no base64 is refused: spaces, another length, letters of base64url, padding in the middle, and too much', () => {
  const shape = base64(6)
  const isAccepted = (text: string) => shape.safeParse(text).success
  for (const text of ['', 'AAAA', 'AA==', 'AAA=', '+/+/', 'AAAAAAAA']) expect(isAccepted(text), text).toBe(true)
  for (const text of ['A', 'AAA', 'AA=', 'A===', '====', 'AA=A', 'AA== AA=', 'AAA\n', '-_-_', 'AA\u0000A', 'AAAAAAAAAAAA'])
    expect(isAccepted(text), JSON.stringify(text)).toBe(false)
  for (const space of [' ', '\t', '\n', '\f', '\r', '\v', '\u00a0', '\u2028'])
    expect(isAccepted(`AAA${space}AAAA`) || isAccepted(`${space}AAA`), JSON.stringify(space)).toBe(false)
})

test('a key or signature of another length is refused', () => {
  const shape = base64Of(2)
  expect(shape.safeParse('AAA=').success).toBe(true)
  for (const text of ['AAAA', 'AA==', '']) expect(shape.safeParse(text).success, text).toBe(false)
})
