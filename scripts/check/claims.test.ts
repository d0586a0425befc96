import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Claim } from '../../client/site/claim.ts'
import { CLAIMS } from '../../client/site/claims.ts'
import { unprovenIn } from './claims.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => ({ path, text: existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '' })

test('Every claim of the public pages has its tests, which run under these titles, or says what it does not cover', () => {
  const named = CLAIMS.flatMap(({ tests, figure, shown }) => [
    ...[...tests, ...(figure ? [figure.test] : [])].map(({ file }) => file),
    ...shown.map((place) => (place === 'landing' ? 'client/site/Landing.tsx' : place.file)),
  ])
  expect(unprovenIn(CLAIMS, [...new Set(named)].map(read))).toEqual([])
  for (const { file } of CLAIMS.flatMap(({ tests }) => tests))
    expect(file, 'a file that npm test runs').toMatch(/^(client|server|e2e)\/.*[.]test[.]tsx?$/)
})

test('A claim without evidence, with a test that is gone or switched off, or that is said otherwise is found', () => {
  const fine: Claim = {
    id: 'fine',
    text: 'Fine',
    caption: 'as far as it goes',
    story: '',
    tests: [{ file: 'a.test.ts', title: 'it holds' }],
    measures: [],
    shown: [{ file: 'a.tsx', words: 'all is fine' }],
  }
  const files = [
    { path: 'a.test.ts', text: "test('it holds', () => {})\ntest.skip('it held', () => {})" },
    { path: 'a.tsx', text: '<p>\n  all is\n  fine\n</p>' },
  ]
  expect(unprovenIn([fine], files)).toEqual([])
  expect(unprovenIn([{ ...fine, tests: [] }], files)).toEqual(['claim fine has neither a test nor a limit'])
  expect(unprovenIn([{ ...fine, tests: [], limit: 'nobody can know' }], files)).toEqual([])
  const held = { file: 'a.test.ts', title: 'it held' }
  expect(unprovenIn([{ ...fine, tests: [held] }], files)).toEqual(['claim fine: a.test.ts has no test "it held"'])
  const figure = { value: 1, unit: 'thing', says: 'is so', test: held }
  expect(unprovenIn([{ ...fine, figure }], files)).toEqual(['claim fine: a.test.ts has no test "it held"'])
  expect(unprovenIn([{ ...fine, shown: [{ file: 'a.tsx', words: 'all is well' }] }], files)).toHaveLength(1)
  expect(unprovenIn([{ ...fine, shown: ['landing'] }], files)).toHaveLength(1)
  expect(unprovenIn([fine, fine], files)).toEqual(['claim fine stands there twice'])
  expect(unprovenIn([{ ...fine, caption: '' }], files)).toEqual(['claim fine has no caption'])
})
