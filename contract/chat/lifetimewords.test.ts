import { expect, test } from 'vitest'
import { leftWords, lifetimeWords } from './lifetimewords.ts'

test.each([
  [-5, '0s'],
  [1, '1s'],
  [59_000, '59s'],
  [59_001, '1m'],
  [3_599_000, '59m'],
  [3_600_000, '1h'],
  [6 * 86_400_000, '6d'],
  [28 * 86_400_000, '4w'],
])('%i ms are %s', (ms, words) => expect(leftWords(ms)).toBe(words))

test.each([
  [60, '1 minute'],
  [5400, '90 minutes'],
  [28_800, '8 hours'],
  [86_400, '1 day'],
  [604_800, '1 week'],
  [2_419_200, '4 weeks'],
  [61, '61 seconds'],
])('%i s are %s', (seconds, words) => expect(lifetimeWords(seconds)).toBe(words))
