import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

const house = resolve(import.meta.dirname, '../..')
const config = join(house, '.dependency-cruiser.cjs')
const require = createRequire(import.meta.url)
const rules = z
  .object({ forbidden: z.array(z.object({ name: z.string(), comment: z.string() })) })
  .parse(require(config)).forbidden

const report = z.object({
  summary: z.object({
    totalCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
})

/** A small repository that keeps every rule, exceptions included. */
const clean: Record<string, string> = {
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { zod: '1', fastify: '1', 'drizzle-orm': '1' },
    devDependencies: { react: '1', 'ts-mls': '1', vitest: '1' },
  }),
  ...Object.fromEntries(
    ['zod', 'fastify', 'drizzle-orm', 'react', 'ts-mls', 'vitest'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
      [`node_modules/${name}/index.js`, 'module.exports = {}\n'],
    ]),
  ),
  'contract/content.ts': "import { z } from 'zod'\nexport const content = z\n",
  'contract/rooms.ts': "import { z } from 'zod'\nexport const rooms = z\n",
  'server/main.ts': "import { app } from './app.ts'\nexport const main = app\n",
  'server/app.ts': "import { routes } from './rooms/routes.ts'\nexport const app = routes\n",
  'server/http/serve.ts':
    "import fastify from 'fastify'\nimport { rooms } from '../../contract/rooms.ts'\nexport const serve = [fastify, rooms]\n",
  'server/rooms/routes.ts':
    "import { rooms } from './rooms.ts'\nimport { serve } from '../http/serve.ts'\nexport const routes = [rooms, serve]\n",
  'server/rooms/rooms.ts': "import { store } from './store.ts'\nexport const rooms = store\n",
  'server/db/schema/rooms.ts': "import drizzle from 'drizzle-orm'\nexport const chatRooms = drizzle\n",
  'server/rooms/store.ts':
    "import { chatRooms } from '../db/schema/rooms.ts'\nimport drizzle from 'drizzle-orm'\nexport const store = [chatRooms, drizzle]\n",
  'server/rooms/rooms.test.ts':
    "import { app } from '../app.ts'\nimport { content } from '../../contract/content.ts'\nexport const seen = [app, content]\n",
  'server/messages/messages.ts': "import { rooms } from '../rooms/rooms.ts'\nexport const messages = rooms\n",
  'client/main.tsx': "import { start } from './app/start.tsx'\nexport const main = start\n",
  'client/app/start.tsx':
    "import { store } from '../rooms/store.ts'\nimport react from 'react'\nexport const start = [store, react]\n",
  'client/net/api.ts': "import { rooms } from '../../contract/rooms.ts'\nexport const api = rooms\n",
  'client/crypto/crypto.ts':
    "import { mls } from './mls.ts'\nimport { vault } from '../vault/vault.ts'\nimport { index } from '../index/index.ts'\nexport const crypto = [mls, vault, index]\n",
  'client/crypto/mls.ts': "import mlsLibrary from 'ts-mls'\nexport const mls = mlsLibrary\n",
  'client/crypto/demonstration.ts':
    "import { mls } from './mls.ts'\nimport { seal } from '../primitives/seal.ts'\nexport const demonstration = [mls, seal]\n",
  'client/primitives/seal.ts': 'export const seal = 1\n',
  'client/vault/vault.ts': "import { seal } from '../primitives/seal.ts'\nexport const vault = seal\n",
  'client/index/index.ts': "import { vault } from '../vault/vault.ts'\nexport const index = vault\n",
  'client/rooms/store.ts': 'export const store = 1\n',
  'client/rooms/rooms.ts':
    "import { crypto } from '../crypto/crypto.ts'\nimport { store } from './store.ts'\nexport const rooms = [crypto, store]\n",
  'client/ui/Button.tsx': "import react from 'react'\nexport const Button = react\n",
  'client/pages/Landing.tsx':
    "import { Button } from '../ui/Button.tsx'\nimport { demonstration } from '../crypto/demonstration.ts'\nexport const Landing = [Button, demonstration]\n",
}

const importing = (path: string) => `import * as other from '${path}'\nexport const planted = other\n`

/** One violation of each rule: the rule that must report it, the file and its text. */
const planted: [rule: string, file: string, text: string][] = [
  ['ends-never-meet', 'client/rooms/planted1.ts', importing('../../server/rooms/rooms.ts')],
  ['ends-never-meet', 'server/rooms/planted2.ts', importing('../../client/rooms/rooms.ts')],
  ['contract-stands-alone', 'contract/planted3.ts', importing('fastify')],
  ['contract-stands-alone', 'contract/planted4.ts', importing('node:fs')],
  ['no-cycle', 'client/rooms/planted5.ts', importing('./planted6.ts')],
  ['memory-and-doors-are-private', 'server/messages/planted7.ts', importing('../rooms/store.ts')],
  [
    'memory-and-doors-are-private',
    'client/messages/planted8.tsx',
    "import type { store } from '../rooms/store.ts'\nexport type P = typeof store\n",
  ],
  ['only-app-collects-doors', 'server/planted9.ts', importing('./rooms/routes.ts')],
  ['memory-and-doors-are-private', 'server/messages/planted25.ts', importing('../rooms/store-planted26.ts')],
  ['sql-in-stores', 'server/rooms/planted27.ts', importing('drizzle-orm')],
  ['sql-in-stores', 'server/rooms/planted28.ts', importing('../db/schema/rooms.ts')],
  ['app-touches-no-store', 'server/app.ts', importing('./rooms/store.ts')],
  ['ground-knows-no-feature', 'server/http/planted10.ts', importing('../rooms/rooms.ts')],
  ['ground-knows-no-feature', 'server/jobs/planted33.ts', importing('../rooms/rooms.ts')],
  ['ground-knows-no-feature', 'client/ui/planted11.tsx', importing('../rooms/rooms.ts')],
  ['nobody-imports-app', 'client/rooms/planted12.tsx', importing('../app/start.tsx')],
  ['nobody-imports-app', 'server/rooms/planted13.ts', importing('../app.ts')],
  ['server-cannot-read-content', 'server/rooms/planted14.ts', importing('../../contract/content.ts')],
  ['server-cannot-read-content', 'server/rooms/planted15.ts', importing('../../contract/planted16.ts')],
  [
    'keys-through-one-door',
    'client/rooms/planted17.ts',
    "import type { mls } from '../crypto/mls.ts'\nexport type P = typeof mls\n",
  ],
  ['keys-through-one-door', 'client/messages/planted25.ts', importing('../vault/vault.ts')],
  ['keys-through-one-door', 'client/messages/planted26.ts', importing('../index/index.ts')],
  ['keys-through-one-door', 'client/messages/planted27.ts', importing('../primitives/seal.ts')],
  ['ground-knows-no-feature', 'client/vault/planted28.ts', importing('../rooms/rooms.ts')],
  ['demonstration-is-for-pages', 'client/rooms/planted34.ts', importing('../crypto/demonstration.ts')],
  ['demonstration-has-no-keys', 'client/crypto/demonstration.ts', importing('../vault/vault.ts')],
  ['pages-ship-alone', 'client/pages/planted35.ts', importing('../crypto/crypto.ts')],
  ['vault-knows-no-protocol', 'client/vault/planted29.ts', importing('../crypto/mls.ts')],
  ['vault-knows-no-protocol', 'client/index/planted30.ts', importing('../crypto/mls.ts')],
  ['vault-knows-no-index', 'client/vault/planted31.ts', importing('../index/index.ts')],
  ['primitives-stand-alone', 'client/primitives/planted32.ts', importing('../vault/vault.ts')],
  ['worker-is-an-address', 'client/net/workers.ts', importing('../crypto/mls.ts')],
  ['mls-in-few-files', 'client/crypto/planted19.ts', importing('ts-mls')],
  ['react-only-in-tsx', 'client/rooms/planted20.ts', importing('react')],
  ['pages-ship-alone', 'client/pages/planted21.tsx', importing('../rooms/rooms.ts')],
  ['tests-stay-outside', 'server/rooms/planted22.ts', importing('./rooms.test.ts')],
  ['server-ships-its-dependencies', 'server/rooms/planted23.ts', importing('vitest')],
  ['imports-exist', 'client/rooms/planted24.ts', importing('./nowhere.ts')],
]

/** Files that the planted violations import. */
const extra = {
  'client/rooms/planted6.ts': "import type { planted } from './planted5.ts'\nexport type Six = typeof planted\n",
  'contract/planted16.ts': importing('./content.ts'),
  'server/rooms/store-planted26.ts': importing('drizzle-orm'),
}

async function cruise(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-rules-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const command = join(house, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
    const options = ['--config', config, '--output-type', 'json', 'client', 'server', 'contract']
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...options], { cwd: folder })
    return report.parse(JSON.parse(stdout)).summary
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let tidy: Awaited<ReturnType<typeof cruise>>
let messy: Awaited<ReturnType<typeof cruise>>

beforeAll(async () => {
  const violations = Object.fromEntries(planted.map(([, file, text]) => [file, text]))
  ;[tidy, messy] = await Promise.all([cruise(clean), cruise({ ...clean, ...extra, ...violations })])
}, 60_000)

describe('the import rules', () => {
  test('a tidy house is seen and passes', () => {
    expect(tidy.totalCruised).toBeGreaterThanOrEqual(20)
    expect(tidy.violations).toEqual([])
  })

  test.each(planted)('%s stops %s', (rule, file) => {
    expect(messy.violations.filter(({ from }) => from === file).map(({ rule: { name } }) => name)).toContain(rule)
  })

  test('every rule has a planted violation and a sentence for newcomers', () => {
    expect([...new Set(planted.map(([rule]) => rule))].sort()).toEqual(rules.map(({ name }) => name).sort())
    for (const { comment } of rules) expect(comment).toMatch(/^[A-Za-z].{30,}[.]$/)
  })
})
