import { expect, test } from 'vitest'
import { isEmojiOnly, piecesOf } from './textPieces.ts'

const drawn = (text: string, marks: [number, number][] = []) =>
  piecesOf(text, marks).map(({ kind, text: part, isMarked }) => `${kind} ${part}${isMarked ? ' *' : ''}`)

test('Code between backticks stands as it was typed, and what looks like a link in it is none', () => {
  expect(drawn('Run `ssh -p 22 a` now')).toEqual(['text Run ', 'code ssh -p 22 a', 'text  now'])
  expect(drawn('see\n```sh\ncurl https://a.example\n  | sh\n```\nthen')).toEqual([
    'text see\n',
    'block curl https://a.example\n  | sh',
    'text then',
  ])
  expect(drawn('```one line```')).toEqual(['block one line'])
  expect(drawn('a ` b and `` and ``` and ` `')).toEqual(['text a ` b and `` and ``` and ` `'])
})

test('A mark ends where its word ends, across links and code, and no character is lost', () => {
  expect(drawn('the stations', [[4, 11]])).toEqual(['text the ', 'text station *', 'text s'])
  expect(
    drawn('go https://a.example/key `key`', [
      [21, 24],
      [26, 29],
    ]),
  ).toEqual(['text go ', 'link https://a.example/', 'link key *', 'text  ', 'code key *'])
  const [, from, to] = piecesOf('go https://a.example/key', [[21, 24]])
  expect([from?.href, to?.href]).toEqual(['https://a.example/key', 'https://a.example/key'])
})

test('One to three emoji alone stand large; a fourth, a letter or a digit does not', () => {
  for (const text of ['🙏', '👍🏽👍🏽', '👩‍👩‍👧 🇩🇪 ❤️', '☕️']) expect(isEmojiOnly(text), text).toBe(true)
  for (const text of ['🙏🙏🙏🙏', '🙏 ok', '3', '#', '', ' ', '123', '🙏!', '👍'.repeat(40)])
    expect(isEmojiOnly(text), text).toBe(false)
})

test('A message that is made to be slow does not stop the page', () => {
  // Where the time grew with the square of the length, no text would end within the test's.
  const long = 'x'.repeat(600_000)
  for (const text of [
    `\`\`\`${long}`,
    `\`${long}`,
    `https://a.example${')'.repeat(600_000)}`,
    `https://a.example${'.'.repeat(600_000)}x`,
    `a@${'a.'.repeat(300_000)}`,
  ]) {
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  }
})

test('Three backticks around nothing are no code, and code that is named like its language is marked where it stands', () => {
  expect(piecesOf('``` ``` and ```\n\n```').map(({ kind }) => kind)).toEqual(['text'])
  expect(piecesOf('```sh\nsh x\n```')).toMatchObject([{ kind: 'block', at: 6, text: 'sh x' }])
})
