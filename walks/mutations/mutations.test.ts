import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { everyMutation } from './every.ts'

const all = Object.values(everyMutation).flat()

test('Forty rules or more are broken by name, of each kind seven or more, each in another way', () => {
  expect(all.length).toBeGreaterThanOrEqual(40)
  for (const some of Object.values(everyMutation)) expect(some.length).toBeGreaterThanOrEqual(7)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(new Set(all.map(({ file, from, to }) => `${file} ${from} ${to}`)).size).toBe(all.length)
})

describe('What a mutation changes stands once in its file, and its test file is there', () => {
  test.each(all)('$name', ({ file, from, to, test: path }) => {
    expect(file).toMatch(/^(client|contract|server)\/(?!testing\/).*\.(ts|tsx|sql)$/)
    expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2)
    expect(to).not.toBe(from)
    expect(path).toMatch(/^(client|contract|server)\/.*\.test\.tsx?$/)
    expect(existsSync(path)).toBe(true)
  })
})
