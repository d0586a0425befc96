import { expect, test } from 'vitest'
import { findStraightApostrophes } from './apostrophes.ts'

const client = (text: string, path = 'client/app/Palette.tsx') => [{ path, text }]

test('a straight apostrophe on screen is found, in a string, a template and between tags', () => {
  const planted = ['const a = "Bob\'s key"', "<p>The server's word</p>", "const b = `the server's`"]
  expect(findStraightApostrophes(client(planted.join('\n')))).toEqual(
    [1, 2, 3].map((line) => expect.stringContaining(`:${line}:`)),
  )
  for (const path of ['contract/ground/refusals.ts', 'client/index.html', 'client/public/offline.js'])
    expect(findStraightApostrophes(client("you've seen it", path))).toHaveLength(1)
})

test('curly ones, comments, tests, and the texts that the specification fixes are kept', () => {
  const kept = [
    'const a = "Bob’s key"',
    "// Bob's key",
    " * The server's word",
    "const b = 1 // Bob's",
    'const error = "Passwords don\'t match"',
    "const c = ['a', 's'], d = 'it'",
  ]
  expect(findStraightApostrophes(client(kept.join('\n')))).toEqual([])
  for (const path of ['client/app/entries.test.ts', 'client/testing/people.ts', 'server/app.ts'])
    expect(findStraightApostrophes(client("Bob's key", path))).toEqual([])
})
