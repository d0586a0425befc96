import { expect, test } from 'vitest'
import { findUnknownTests } from './titles.ts'

const file = (path: string, text = '') => ({ path, text })

test('a test that a document names is there under its title, in that file', () => {
  const tests = [
    file('client/a.test.ts', "test('Eve reads nothing', () => {})\n"),
    file('e2e/b.test.ts', 'test("Alice\'s keys stay", async () => {})\n'),
  ]
  const table = '| property | test | file |\n|---|---|---|\n'
  const row = (title: string, path: string) => file('docs/x.md', `${table}| Something (R1) | ${title} | \`${path}\` |\n`)
  expect(findUnknownTests([...tests, row('Eve reads nothing', 'client/a.test.ts')])).toEqual([])
  expect(findUnknownTests([...tests, row("Alice's keys stay", 'e2e/b.test.ts')])).toEqual([])
  expect(findUnknownTests([...tests, row('Eve reads', 'client/a.test.ts')])).toHaveLength(1)
  expect(findUnknownTests([...tests, row('Eve reads nothing', 'e2e/b.test.ts')])).toHaveLength(1)
  expect(findUnknownTests([...tests, row('Eve reads nothing', 'e2e/gone.test.ts')])).toHaveLength(1)
})
