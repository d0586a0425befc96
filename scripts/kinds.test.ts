import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sortTests } from './kinds.ts'

// Joined, because this file itself is sorted by its text.
const ASKS = ['inject', "('clusterUrl')"].join('')
const mocks = (verb: string) => `vi.${verb}('./content.ts')`

function planted(files: Record<string, string>) {
  const root = mkdtempSync(path.join(tmpdir(), 'conclave-kinds-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  return sortTests(root, Object.keys(files))
}

test('a test that reaches the cluster over two imports is served, one that names its type alone is pure', () => {
  expect(
    planted({
      'server/world.ts': `export const url = () => ${ASKS}`,
      'server/group.ts': "import {\n  url,\n} from './world.ts'",
      'server/far.test.ts': "import { group } from './group.ts'",
      'server/lazy.test.ts': "await import('./group.ts')",
      'server/again.ts': "export { url } from './world.ts'",
      'server/again.test.ts': "import './again.ts'",
      'server/type.test.ts': "import type { World } from './world.ts'",
    }),
  ).toEqual({
    pure: ['server/type.test.ts'],
    alone: [],
    served: ['server/far.test.ts', 'server/lazy.test.ts', 'server/again.test.ts'],
  })
})

test('a test that replaces modules or asks for a DOM has a worker of its own, also where something it imports does so', () => {
  expect(
    planted({
      'client/newer.ts': mocks('doMock'),
      'client/newer.test.ts': "import { newer } from './newer.ts'",
      'client/hash.test.ts': mocks('unmock'),
      'client/screen.test.tsx': ['//', '@vitest-environment', 'happy-dom'].join(' '),
      'client/mocked.test.ts': 'vi.mocked(reload).mockImplementation(stop)',
      'client/circle.ts': "import './circle.test.ts'",
      'client/circle.test.ts': "import './circle.ts'",
    }),
  ).toEqual({
    pure: ['client/mocked.test.ts', 'client/circle.test.ts'],
    alone: ['client/newer.test.ts', 'client/hash.test.ts', 'client/screen.test.tsx'],
    served: [],
  })
})

test('a file that is both is refused by its name', () => {
  expect(() => planted({ 'server/both.test.ts': `${mocks('mock')}\n${ASKS}` })).toThrow(
    'server/both.test.ts asks for the cluster',
  )
})
