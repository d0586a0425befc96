import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withoutSummaries } from './summaries.ts'

test('a page is told what each call takes and answers, and not what the contract says about it', () => {
  const files = readdirSync('contract', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const found = files.map((name) => readFileSync(`contract/${name}`, 'utf8'))
  expect(found.join('').match(/^ *summary:\s+['"`]/gm)?.length).toBeGreaterThan(100)
  expect(found.flatMap((code) => withoutSummaries(code).match(/^ *summary:\s+['"`].*/gm) ?? [])).toEqual([])
  expect(withoutSummaries("  summary:\n    'Alice’s \\'own\\' chat.',\n  input: z.object({}),\n")).toBe(
    '  input: z.object({}),\n',
  )
  expect(withoutSummaries('  summary: z.string(),\n  summary,\n')).toBe('  summary: z.string(),\n  summary,\n')
})
