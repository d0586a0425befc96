import { expect, test } from 'vitest'
import { unusedName } from './browserName.ts'

test('A new browser is offered a name that none of the account’s browsers has', () => {
  expect(unusedName('Chrome on Linux', ['Firefox on Linux'])).toBe('Chrome on Linux')
  expect(unusedName('Chrome on Linux', ['Chrome on Linux', 'Chrome on Linux 3', 'Chrome on Linux'])).toBe('Chrome on Linux 2')
  expect(unusedName('Chrome on Linux', ['Chrome on Linux', 'Chrome on Linux 2'])).toBe('Chrome on Linux 3')
})
