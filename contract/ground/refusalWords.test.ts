import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { messageLimitText } from '../money/plans.ts'
import { REFUSALS } from './refusals.ts'
import { refusalWords } from './refusalWords.ts'

const SCRIPT = '<script>alert(1)</script>'

test('Whatever words a lying server puts beside a code, the page says its own', () => {
  for (const [code, { status, text }] of Object.entries(REFUSALS)) {
    expect(refusalWords(code, SCRIPT, status)).toEqual({ code, text })
    expect(refusalWords(code, { toString: SCRIPT }, status)).toEqual({ code, text })
  }
})

test.each<[unknown, number, string]>([
  ['constructor', 400, 'Something went wrong on the server'],
  [SCRIPT, 400, 'Something went wrong on the server'],
  [undefined, 500, 'Something went wrong on the server'],
  [7, 502, 'The server is busy or stopping. Try again'],
  [undefined, 413, 'The request is too large'],
])('A code that nobody knows (%s) gets the product’s general sentence', (code, status, text) => {
  expect(refusalWords(code, SCRIPT, status)).toEqual({ code: 'internal', text })
})

test.each([
  ['message_limit_reached', messageLimitText(100)],
  ['invalid_credentials', 'The password is wrong'],
  ['card_refused', 'Your card has insufficient funds.'],
])('What an honest server says of %s stays', (code, said) => {
  expect(refusalWords(code, said, 400)).toEqual({ code, text: said })
  expect(refusalWords(code, `${said} ${SCRIPT}`, 400).text).not.toContain(SCRIPT)
})

test('Each sentence that the server has for people is one that pages know', () => {
  const files = readdirSync('server', { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const texts = files.map((file) => readFileSync(`server/${file}`, 'utf8'))
  const written = texts.flatMap((text) =>
    [...text.matchAll(/new Refusal\('(\w+)', \{\s*text: '([^']+)'/g)].map(([, code, said]) => [code, said] as const),
  )
  expect(written.length).toBeGreaterThan(10)
  const unknown = written.filter(([code, text]) => refusalWords(code, text, 400).text !== text)
  expect(unknown.map(([, text]) => text).sort()).toEqual([...FOR_PROGRAMS].sort())
})

/** No page of ours comes upon these. */
const FOR_PROGRAMS = [
  'A recovery kit is added to an account that is there',
  'An account with keys is deleted in a browser (kdf 1)',
  'Keys come with a derived password (kdf 1)',
  'The JSON has too many members or levels',
  'The account has no such history key',
  'The body ended too early',
  'The body must be a JSON object',
  'The book must be base64',
  'The identity key is not new',
  'The keyring must be sealed to the new passkey',
  'This event is about nothing',
  'The server runs, but its database does not answer',
  'With kdf 1 the password is 43 characters of base64url',
  'p256dh is not a public key',
]
