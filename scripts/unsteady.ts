/** A test of a run. `path` is relative to the repository. */
export interface Result {
  path: string
  title: string
  status: 'passed' | 'failed' | 'skipped'
  /** The error, and its place in the tests. */
  why?: string
}

/** How many tests of one run may fail once. More are no accident. */
const MOST = 3

const lineOf = ({ path, title }: Result): string => `\`${path}\`: ${title}`

/**
 * The failed browser tests that may run once more: none where too many failed, no file that failed by itself, and none that `noted`,
 * the text of test-unsteady.md, names already.
 */
export function mayRunAgain(failed: Result[], noted: string): Result[] {
  if (failed.length > MOST) return []
  const known = noted.split('\n')
  return failed.filter((one) => one.title !== '' && !known.some((line) => line.endsWith(lineOf(one))))
}

/** Adds tests that failed once and then passed to the text of test-unsteady.md. `day` is as 2026-01-31. */
export function note(noted: string, unsteady: Result[], day: string): string {
  const before = noted.trimEnd()
  const lines = unsteady.map((one) => `- ${day} ${lineOf(one)}\n`)
  return `${before}${/^- .*$/m.test(before) ? '\n' : '\n\n'}${lines.join('')}`
}

interface Report {
  testResults: {
    name: string
    status: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[]
  }[]
}

/** The tests of vitest's JSON report. A file that fails by itself, before or after its tests, is a failed test without a title. */
export function readReport({ testResults }: Report, root: string): Result[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const path = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name
    const tests = assertionResults.map(({ fullName, status, failureMessages = [] }): Result => {
      const [why] = failureMessages
      return { path, title: fullName, status: statusOf(status), ...(why && { why: firstWords(why, root) }) }
    })
    const isOwn = status === 'failed' && !tests.some((one) => one.status === 'failed')
    return isOwn ? [...tests, { path, title: '', status: 'failed' }] : tests
  })
}

const WHY_MAX = 300

function firstWords(thrown: string, root: string): string {
  const lines = thrown.replaceAll(`${root}/`, '').split('\n')
  const isPlace = (line: string) => /^\s+at /.test(line)
  const message = lines
    .filter((line) => !isPlace(line))
    .join(' ')
    .replace(/\s+/g, ' ')
    .slice(0, WHY_MAX)
  const place = lines.find((line) => isPlace(line) && line.includes('.test.ts'))
  return place ? `${message} ${place.trim()}` : message
}

const statusOf = (status: string): Result['status'] => (status === 'passed' || status === 'failed' ? status : 'skipped')

export const count = (results: Result[], status: Result['status']): number =>
  results.filter((one) => one.status === status).length
