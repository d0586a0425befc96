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

test('a book of megabytes is read in pieces, and refused for one wrong character, space or padding anywhere in it', () => {
  const shape = base64(1024 * 1024)
  const whole = 'A'.repeat(300_000)
  const withAt = (at: number, letters: string) => whole.slice(0, at) + letters + whole.slice(at + letters.length)
  expect(shape.safeParse(whole).success).toBe(true)
  expect(shape.safeParse(withAt(299_998, '==')).success).toBe(true)
  for (const at of [0, 65_534, 65_535, 65_536, 200_000, 299_996])
    for (const letters of ['==', '=', ' ', '-', '\u00e9'])
      expect(shape.safeParse(withAt(at, letters)).success, `${letters} at ${at}`).toBe(false)
})

test('a key or signature of another length is refused', () => {
  const shape = base64Of(2)
  expect(shape.safeParse('AAA=').success).toBe(true)
  for (const text of ['AAAA', 'AA==', '']) expect(shape.safeParse(text).success, text).toBe(false)
})
