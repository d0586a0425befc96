import { expect, test } from 'vitest'
import { findDecisionFaults, INDEX, indexOf } from './decisions.ts'
import type { TrackedFile } from './tracked.ts'

const decision = (number: string, head = `# ${number}: A title\n\nSubject: money\nStatus: holds`): TrackedFile => ({
  path: `docs/decisions/${number}-a-title.md`,
  text: `${head}\n\n## Context\nSomething.\n`,
})
/** The faults of decisions beside the index that they make. */
const faults = (...files: TrackedFile[]) => findDecisionFaults([...files, { path: INDEX, text: indexOf(files) }])
const headed = (number: string, subject: string, status: string, more = '') =>
  decision(number, `# ${number}: A title\n\nSubject: ${subject}\nStatus: ${status}${more}`)

test('a decision begins with its number, its subject and its status', () => {
  expect(faults(decision('0001'))).toEqual([])
  expect(faults(decision('0001', '# 0001 A title'))).toHaveLength(1)
  expect(faults(decision('0001', '# 0001: A title'))).toHaveLength(1)
  expect(faults(decision('0001', '# 0002: A title\n\nSubject: money\nStatus: holds'))).toEqual([
    'docs/decisions/0001-a-title.md: its heading says 0002',
  ])
  expect(faults(headed('0001', 'coins', 'holds'))).toHaveLength(1)
  expect(faults(headed('0001', 'money', 'proposed'))).toHaveLength(1)
})

test('a status names decisions that are there', () => {
  expect(faults(headed('0001', 'money', 'replaced by 0002'), decision('0002'))).toEqual([])
  expect(faults(headed('0001', 'money', 'holds, in part replaced by 0002, 0003'), decision('0002'), decision('0003'))).toEqual([])
  expect(faults(headed('0001', 'money', 'replaced by 0002'))).toEqual([
    'docs/decisions/0001-a-title.md: there is no decision 0002',
  ])
})

test('code and documents name decisions that are there, and not those that were folded into another', () => {
  const files = [headed('0003', 'money', 'holds', '\nFolds in: 0001, 0002')]
  const code = (text: string) => ({ path: 'server/app.ts', text })
  expect(faults(...files, code('// See docs/decisions/0003.'))).toEqual([])
  expect(faults(...files, code('// See docs/decisions/0002 and decision 0009.'))).toEqual([
    'server/app.ts: decision 0002 is folded into 0003',
    'server/app.ts: there is no decision 0009',
  ])
  expect(faults(...files, decision('0001'))).toEqual(['docs/decisions/0001-a-title.md: 0001 is folded in and has a file'])
})

test('the index lists the decisions by subject, and says what became of the other numbers', () => {
  const files = [decision('0002'), headed('0004', 'encryption', 'holds, in part replaced by 0002', '\nFolds in: 0001')]
  const index = indexOf(files)
  expect(index.indexOf('## Encryption')).toBeLessThan(index.indexOf('## Money'))
  expect(index).toContain('| [0004](0004-a-title.md) | A title | holds, in part replaced by [0002](0002-a-title.md) |\n')
  expect(index).toContain('| 0001 | folded into [0004](0004-a-title.md) |\n| 0003 | not used |\n')
  expect(findDecisionFaults([...files, { path: INDEX, text: index.replace('holds', 'held') }])).toHaveLength(1)
  expect(findDecisionFaults(files)).toHaveLength(1)
})
