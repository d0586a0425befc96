import { expect, test } from 'vitest'
import { piecesOf, withoutMarks } from './textPieces.ts'

/** "bold[words]" for each piece that has a style. */
const drawn = (text: string): string =>
  piecesOf(text)
    .map(({ styles, text: words }) => (styles.length === 0 ? words : `${styles.join('+')}[${words}]`))
    .join('')

test('Stars make words bold, an underscore italic, tildes strike them; two of a star and a tilde as well', () => {
  expect(drawn('*one* **two** _three_ ~four~ ~~five~~.')).toBe('bold[one] bold[two] italic[three] strike[four] strike[five].')
  expect(drawn('(*one*), “_two_”!')).toBe('(bold[one]), “italic[two]”!')
  expect(drawn('*a _b_ c*')).toBe('bold[a ]bold+italic[b]bold[ c]')
})

test('What is no emphasis stands as it was typed', () => {
  const texts = [
    ...['2*3*4', '5 * 3 * 2', 'snake_case_name', '__init__', '***', '** **', '*nix and *bsd', 'a* b*', '~/x and ~/y', '* x *'],
    ...['*one\ntwo*', '*', '_ _', '***three***', '* one', '~5 to ~6'],
  ]
  for (const text of texts) expect(drawn(text), text).toBe(text)
})

test('Of two that cross the first to close holds, and of two that open the later one', () => {
  expect(drawn('*a _b* c_')).toBe('bold[a _b] c_')
  expect(drawn('*a *b*')).toBe('*a bold[b]')
})

test('A link keeps its marks and is formatted with its words; code is not', () => {
  expect(drawn('*see https://a.example/_x_/~y* now*')).toBe('bold[see ]bold[https://a.example/_x_/~y*]bold[ now]')
  expect(drawn('*https://a.example/a*b* ~https://a.example~')).toBe('bold[https://a.example/a*b] strike[https://a.example]')
  expect(drawn('`*a*` *b `_c_` d*')).toBe('*a* *b _c_ d*')
})

test('A line of a list has the words without marks', () => {
  expect(withoutMarks('Run `ssh -p 22 a`, *then* `exit`.')).toBe('Run ssh -p 22 a, then exit.')
  expect(withoutMarks('see\n```sh\ncurl a\n  | sh\n```\nthen `b`')).toBe('see\ncurl a\n  | sh\nthen b')
  expect(withoutMarks('```one line```')).toBe('one line')
  expect(withoutMarks('a ` b and `` and ``` and ` `')).toBe('a ` b and `` and ``` and ` `')
})

test('A message that is made to be slow does not stop the page', () => {
  // Where the time grew with the square of the length, no text would end within the test's.
  for (const text of [
    '*a '.repeat(200_000),
    '*a_b~'.repeat(120_000),
    '*'.repeat(600_000),
    `${'_a '.repeat(100_000)}*`,
    '~*_'.repeat(200_000),
  ])
    expect(withoutMarks(text).length).toBeLessThanOrEqual(text.length)
})
