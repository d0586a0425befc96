import { expect, test } from 'vitest'
import { dayWords, monthWords } from './dayWords.ts'

const now = new Date(2026, 10, 26, 9, 0)

test.each([
  [new Date(2026, 10, 26, 0, 1), 'Today'],
  [new Date(2026, 10, 25, 23, 59), 'Yesterday'],
  [new Date(2026, 10, 24, 12, 0), 'Tuesday'],
  [new Date(2026, 10, 20, 12, 0), 'Friday'],
  [new Date(2026, 10, 19, 12, 0), 'November 19'],
  [new Date(2026, 10, 27, 12, 0), 'November 27'],
  [new Date(2025, 10, 24, 12, 0), 'November 24, 2025'],
])('%s is %s', (at, words) => expect(dayWords(at, now)).toBe(words))

test('A month of another year names the year', () => {
  expect(monthWords(new Date(2026, 1, 1), now)).toBe('February')
  expect(monthWords(new Date(2024, 1, 1), now)).toBe('February 2024')
})
