import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * What a test file needs: `served` the run's PostgreSQL, `alone` a worker of its own, because the modules that it replaces and the DOM
 * that it asks for would stay for every file after it, `pure` neither.
 */
export type Kind = 'pure' | 'alone' | 'served'

const TEST = /\.test\.tsx?$/
const ASKS_CLUSTER = /\binject\('clusterUrl'\)/
const CHANGES_WORKER = /\bvi\.(mock|unmock|doMock|doUnmock|resetModules)\(|^\/\/ @vitest-environment /m

/** Imports that run: types are erased. */
const IMPORT = /(?:^|\s)(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g

/** Sorts test files by what they and everything that they import ask for. Paths are relative to `root`. */
export function sortTests(root: string, tests: string[]): Record<Kind, string[]> {
  const read = new Map<string, { text: string; imports: string[] }>()
  const open = (file: string) => {
    const known = read.get(file)
    if (known) return known
    const text = readFileSync(path.join(root, file), 'utf8')
    const imports = [...text.matchAll(IMPORT)]
      .map(([, from, inside]) => path.join(path.dirname(file), (from ?? inside ?? '').replace(/\?.*$/, '')))
      .filter((one) => isSource(path.join(root, one)))
    const opened = { text, imports }
    read.set(file, opened)
    return opened
  }
  const kindOf = (test: string): Kind => {
    const reached = new Set([test])
    // A set hands out what is added while it is walked.
    for (const file of reached) for (const one of open(file).imports) reached.add(one)
    const texts = [...reached].map((file) => open(file).text)
    const isServed = texts.some((text) => ASKS_CLUSTER.test(text))
    const isAlone = texts.some((text) => CHANGES_WORKER.test(text))
    if (isServed && isAlone) throw new Error(`${test} asks for the cluster and for a worker of its own: make two files of it`)
    return isServed ? 'served' : isAlone ? 'alone' : 'pure'
  }
  const sorted: Record<Kind, string[]> = { pure: [], alone: [], served: [] }
  for (const test of tests.filter((file) => TEST.test(file))) sorted[kindOf(test)].push(test)
  return sorted
}

const isSource = (file: string): boolean => /\.(tsx?|mjs)$/.test(file) && existsSync(file) && statSync(file).isFile()
