import { expect, test } from 'vitest'
import { findGonePaths } from './paths.ts'

const file = (path: string, text = '') => ({ path, text })
const code = [file('client/net/api.ts'), file('server/chat/rooms/store.ts'), file('client/worker/keys/ways.ts')]
const found = (path: string, text: string) => findGonePaths([...code, file(path, text)])

test('a path in backticks is there, as a file or as a folder', () => {
  expect(
    found('docs/x.md', '`client/net/api.ts`, `client/net/`, `server/chat/rooms`, `client/<noun>/store.ts`, `npm run check`'),
  ).toEqual([])
  expect(found('docs/x.md', 'See `client/net/gone.ts` and `server/rooms/`.')).toEqual([
    'docs/x.md: client/net/gone.ts is not there',
    'docs/x.md: server/rooms/ is not there',
  ])
})

test('a file that is named without its folder is somewhere', () => {
  expect(found('CONTRIBUTING.md', '`store.ts` beside `rooms/store.ts`')).toEqual([])
  expect(found('CONTRIBUTING.md', '`memory.ts` and `net/store.ts`')).toHaveLength(2)
})

test('a README beside code names files of its own wing', () => {
  const row = (name: string) => `| file | what |\n|---|---|\n| \`${name}\` | something |\n`
  expect(found('client/worker/README.md', row('ways.ts'))).toEqual([])
  expect(found('client/worker/README.md', row('keys/ways.ts'))).toEqual([])
  expect(found('client/worker/README.md', row('api.ts'))).toEqual(['client/worker/README.md: api.ts is not there'])
})

test('each line of a tree is there, below the folder that it is indented under', () => {
  const tree = (...lines: string[]) => `\`\`\`\n${lines.join('\n')}\n\`\`\`\n`
  const right = [
    'client/           the app',
    '  net/            requests',
    '    api.ts        a call',
    '  worker/  keys',
    'server/chat/rooms/store.ts  SQL',
  ]
  expect(found('ARCHITECTURE.md', tree(...right))).toEqual([])
  expect(found('ARCHITECTURE.md', tree('client/   the app', '  net/ worker/   both', 'then a sentence'))).toEqual([])
  expect(found('ARCHITECTURE.md', tree('client/', '  net/', '    gone.ts    a call', '  api.ts   not in net'))).toEqual([
    'ARCHITECTURE.md: client/net/gone.ts is not there',
    'ARCHITECTURE.md: client/api.ts is not there',
  ])
  expect(found('ARCHITECTURE.md', tree('npm start     # starts', 'npm test  # tests'))).toEqual([])
})

test('pages about what was may name it', () => {
  expect(found('docs/moved.md', '`client/crypto/mls.ts`')).toEqual([])
  expect(found('docs/decisions/0001-x.md', '`client/crypto/mls.ts`')).toEqual([])
})
