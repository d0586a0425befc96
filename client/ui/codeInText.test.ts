import { expect, test } from 'vitest'
import { withoutBackticks } from './codeInText.ts'

test('A line of a list shows code without its backticks, and leaves alone what is none', () => {
  expect(withoutBackticks('Run `ssh -p 22 a`, then `exit`.')).toBe('Run ssh -p 22 a, then exit.')
  expect(withoutBackticks('see\n```sh\ncurl a\n  | sh\n```\nthen `b`')).toBe('see\ncurl a\n  | sh\nthen b')
  expect(withoutBackticks('```one line```')).toBe('one line')
  expect(withoutBackticks('a ` b and `` and ``` and ` `')).toBe('a ` b and `` and ``` and ` `')
})
