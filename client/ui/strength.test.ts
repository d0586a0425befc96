import { expect, test } from 'vitest'
import { passwordStrength } from './strength.ts'

const scores = (...passwords: string[]) => passwords.map((password) => passwordStrength(password).score)

test('what everyone tries first is very weak', () => {
  expect(scores('123456', 'aaaaaaaaaaaa', 'Password1', 'P@ssw0rd', 'qwertyuiop', 'abcdefgh')).toEqual([0, 0, 0, 0, 0, 0])
})

test('a short password is weak, whatever it is made of', () => {
  expect(passwordStrength('x7$Kq2').score).toBeLessThanOrEqual(1)
})

test('two plain words are weak, also with a number behind them', () => {
  expect(scores('correct horse', 'correcthorse12')).toEqual([1, 1])
})

test('a long passphrase is good or strong, a long random password is strong', () => {
  expect(scores('correct horse battery staple', 'window gravel seldom orchid plume', 'vN4!qTz8#Lw2pXe9')).toEqual([3, 4, 4])
})

test("a name of one's own counts for little", () => {
  expect(passwordStrength('eleanorwhitcombe', ['Eleanor Whitcombe']).score).toBe(0)
  expect(passwordStrength('eleanorwhitcombe').score).toBeGreaterThan(0)
})

test('more of the same kind is never weaker', () => {
  let last = 0
  for (let length = 1; length <= 24; length++) {
    const { score } = passwordStrength('tG7vmQ2xLp9wRz4kHs8bNc3d'.slice(0, length))
    expect(score).toBeGreaterThanOrEqual(last)
    last = score
  }
})
