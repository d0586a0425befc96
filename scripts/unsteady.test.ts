import { expect, test } from 'vitest'
import { mayRunAgain, note, type Result, readReport } from './unsteady.ts'

const failed = (title: string, path = 'e2e/chat.test.ts'): Result => ({ path, title, status: 'failed' })

test('three failed browser tests run once more, of four none does', () => {
  const four = ['One', 'Two', 'Three', 'Four'].map((title) => failed(title))
  expect(mayRunAgain(four.slice(1), '')).toEqual(four.slice(1))
  expect(mayRunAgain(four, '')).toEqual([])
})

test('a test that was unsteady before does not run again, one with the same title in another file does', () => {
  const noted = note('# Unsteady', [failed('Alice sends')], '2026-01-31')
  expect(noted).toBe('# Unsteady\n\n- 2026-01-31 `e2e/chat.test.ts`: Alice sends\n')
  const others = [failed('Alice sends', 'e2e/list.test.ts'), failed('Alice')]
  expect(mayRunAgain([failed('Alice sends'), ...others], noted)).toEqual(others)
})

test('a file that failed by itself does not run again, its failed tests do', () => {
  expect(mayRunAgain([failed(''), failed('One')], '')).toEqual([failed('One')])
})

test('a second note stands below the first', () => {
  const first = note('# Unsteady\n', [failed('One')], '2026-01-31')
  expect(
    note(first, [failed('Two')], '2026-02-01')
      .split('\n')
      .slice(2),
  ).toEqual(['- 2026-01-31 `e2e/chat.test.ts`: One', '- 2026-02-01 `e2e/chat.test.ts`: Two', ''])
})

test('a file that fails beside its tests counts as failed, also where each of them passed', () => {
  const file = (name: string, status: string, statuses: string[]) => ({
    name: `/root/${name}`,
    status,
    assertionResults: statuses.map((one, at) => ({ fullName: `Test ${at}`, status: one })),
  })
  const report = { testResults: [file('a.test.ts', 'failed', ['passed']), file('b.test.ts', 'failed', ['failed', 'pending'])] }
  expect(readReport(report, '/root')).toEqual([
    { path: 'a.test.ts', title: 'Test 0', status: 'passed' },
    { path: 'a.test.ts', title: '', status: 'failed' },
    { path: 'b.test.ts', title: 'Test 0', status: 'failed' },
    { path: 'b.test.ts', title: 'Test 1', status: 'skipped' },
  ])
})

test('a failed test says what it was thrown, in one line, and where in the tests', () => {
  const thrown =
    'TimeoutError: waiting for\n  - getByText(‘First’)\n    at /root/e2e/person.ts:3:1\n    at /root/e2e/a.test.ts:7:9'
  const one = { fullName: 'Test', status: 'failed', failureMessages: [thrown] }
  expect(
    readReport({ testResults: [{ name: '/root/e2e/a.test.ts', status: 'failed', assertionResults: [one] }] }, '/root'),
  ).toEqual([
    {
      ...{ path: 'e2e/a.test.ts', title: 'Test', status: 'failed' },
      why: 'TimeoutError: waiting for - getByText(‘First’) at e2e/a.test.ts:7:9',
    },
  ])
})
