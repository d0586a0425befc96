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
  .object({
    forbidden: z.array(
      z.object({
        name: z.string(),
        comment: z.string(),
        from: z.object({ path: z.string().or(z.array(z.string())).optional() }),
        to: z.object({ path: z.string().or(z.array(z.string())).optional() }),
      }),
    ),
  })
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
  'contract/chat/content.ts': "import { z } from 'zod'\nexport const content = z\n",
  'contract/chat/kinds/text.ts': 'export const text = 1\n',
  'contract/chat/rooms.ts': "import { z } from 'zod'\nexport const rooms = z\n",
  'server/main.ts': "import { app } from './app.ts'\nexport const main = app\n",
  'server/app.ts':
    "import { routes } from './chat/rooms/routes.ts'\nimport { everyJob } from './everyjob.ts'\nexport const app = [routes, everyJob]\n",
  'server/everyjob.ts': "import { rooms } from './chat/rooms/rooms.ts'\nexport const everyJob = rooms\n",
  'server/ground/http/serve.ts':
    "import fastify from 'fastify'\nimport { rooms } from '../../../contract/chat/rooms.ts'\nexport const serve = [fastify, rooms]\n",
  'server/chat/rooms/routes.ts':
    "import { rooms } from './rooms.ts'\nimport { serve } from '../../ground/http/serve.ts'\nexport const routes = [rooms, serve]\n",
  'server/chat/rooms/rooms.ts': "import { store } from './store.ts'\nexport const rooms = store\n",
  'server/ground/db/schema/rooms.ts': "import drizzle from 'drizzle-orm'\nexport const chatRooms = drizzle\n",
  'server/chat/rooms/store.ts':
    "import { chatRooms } from '../../ground/db/schema/rooms.ts'\nimport drizzle from 'drizzle-orm'\nexport const store = [chatRooms, drizzle]\n",
  'server/chat/rooms/rooms.test.ts':
    "import { app } from '../../app.ts'\nimport { content } from '../../../contract/chat/content.ts'\nexport const seen = [app, content]\n",
  'server/chat/messages/messages.ts': "import { rooms } from '../rooms/rooms.ts'\nexport const messages = rooms\n",
  'client/main.tsx': "import { start } from './app/start.tsx'\nexport const main = start\n",
  'client/app/start.tsx':
    "import { store } from '../rooms/list/store.ts'\nimport react from 'react'\nexport const start = [store, react]\n",
  'client/net/api.ts': "import { rooms } from '../../contract/chat/rooms.ts'\nexport const api = rooms\n",
  'client/worker/crypto.ts':
    "import { mls } from './group/mls.ts'\nimport { vault } from './vault/vault.ts'\nimport { index } from './searchindex/index.ts'\nexport const crypto = [mls, vault, index]\n",
  'client/worker/group/mls.ts': "import mlsLibrary from 'ts-mls'\nexport const mls = mlsLibrary\n",
  'client/worker/demonstration.ts':
    "import { mls } from './group/mls.ts'\nimport { seal } from './primitives/seal.ts'\nexport const demonstration = [mls, seal]\n",
  'client/worker/primitives/seal.ts': 'export const seal = 1\n',
  'client/worker/vault/vault.ts': "import { seal } from '../primitives/seal.ts'\nexport const vault = seal\n",
  'client/worker/searchindex/index.ts': "import { vault } from '../vault/vault.ts'\nexport const index = vault\n",
  'client/rooms/list/store.ts': 'export const store = 1\n',
  'client/rooms/list/rooms.ts':
    "import { crypto } from '../../worker/crypto.ts'\nimport { store } from './store.ts'\nexport const rooms = [crypto, store]\n",
  'client/ui/Button.tsx': "import react from 'react'\nexport const Button = react\n",
  'client/site/Landing.tsx':
    "import { Button } from '../ui/Button.tsx'\nimport { demonstration } from '../worker/demonstration.ts'\nexport const Landing = [Button, demonstration]\n",
}

const importing = (path: string) => `import * as other from '${path}'\nexport const planted = other\n`

/** One violation of each rule: the rule that must report it, the file and its text. */
const planted: [rule: string, file: string, text: string][] = [
  ['ends-never-meet', 'client/rooms/list/planted1.ts', importing('../../../server/chat/rooms/rooms.ts')],
  ['ends-never-meet', 'server/chat/rooms/planted2.ts', importing('../../../client/rooms/list/rooms.ts')],
  ['contract-stands-alone', 'contract/chat/planted3.ts', importing('fastify')],
  ['contract-stands-alone', 'contract/chat/planted4.ts', importing('node:fs')],
  ['no-cycle', 'client/rooms/list/planted5.ts', importing('./planted6.ts')],
  ['memory-and-doors-are-private', 'server/chat/messages/planted7.ts', importing('../rooms/store.ts')],
  [
    'memory-and-doors-are-private',
    'client/chat/messages/planted8.tsx',
    "import type { store } from '../../rooms/list/store.ts'\nexport type P = typeof store\n",
  ],
  ['only-app-collects-doors', 'server/planted9.ts', importing('./chat/rooms/routes.ts')],
  ['memory-and-doors-are-private', 'server/chat/messages/planted25.ts', importing('../rooms/store-planted26.ts')],
  ['sql-in-stores', 'server/chat/rooms/planted27.ts', importing('drizzle-orm')],
  ['sql-in-stores', 'server/chat/rooms/planted28.ts', importing('../../ground/db/schema/rooms.ts')],
  ['app-touches-no-store', 'server/app.ts', importing('./chat/rooms/store.ts')],
  ['wings-in-order', 'server/ground/http/planted10.ts', importing('../../chat/rooms/rooms.ts')],
  ['wings-in-order', 'server/ground/jobs/planted33.ts', importing('../../chat/rooms/rooms.ts')],
  ['wings-in-order', 'client/ui/planted11.tsx', importing('../rooms/list/rooms.ts')],
  ['wings-in-order', 'client/rooms/list/planted36.ts', importing('../../chat/messages/planted8.tsx')],
  ['wings-in-order', 'server/chat/rooms/planted37.ts', importing('../../account/family/family.ts')],
  ['wings-in-order', 'contract/ground/planted38.ts', importing('../chat/rooms.ts')],
  ['nobody-imports-app', 'client/rooms/list/planted12.tsx', importing('../../app/start.tsx')],
  ['nobody-imports-app', 'server/chat/rooms/planted13.ts', importing('../../app.ts')],
  ['nobody-imports-app', 'server/chat/rooms/planted41.ts', importing('../../everyjob.ts')],
  ['only-app-collects-doors', 'server/everyjob.ts', importing('./chat/rooms/routes.ts')],
  ['server-cannot-read-content', 'server/chat/rooms/planted14.ts', importing('../../../contract/chat/content.ts')],
  ['server-cannot-read-content', 'server/chat/rooms/planted15.ts', importing('../../../contract/chat/planted16.ts')],
  ['server-cannot-read-content', 'server/chat/rooms/planted39.ts', importing('../../../contract/chat/planted40.ts')],
  [
    'keys-through-one-door',
    'client/rooms/list/planted17.ts',
    "import type { mls } from '../../worker/group/mls.ts'\nexport type P = typeof mls\n",
  ],
  ['keys-through-one-door', 'client/chat/messages/planted25.ts', importing('../../worker/vault/vault.ts')],
  ['keys-through-one-door', 'client/chat/messages/planted26.ts', importing('../../worker/searchindex/index.ts')],
  ['keys-through-one-door', 'client/chat/messages/planted27.ts', importing('../../worker/primitives/seal.ts')],
  ['wings-in-order', 'client/worker/vault/planted28.ts', importing('../../rooms/list/rooms.ts')],
  ['demonstration-is-for-pages', 'client/rooms/list/planted34.ts', importing('../../worker/demonstration.ts')],
  ['demonstration-has-no-keys', 'client/worker/demonstration.ts', importing('./vault/vault.ts')],
  ['pages-ship-alone', 'client/site/planted35.ts', importing('../worker/crypto.ts')],
  ['vault-knows-no-protocol', 'client/worker/vault/planted29.ts', importing('../group/mls.ts')],
  ['vault-knows-no-protocol', 'client/worker/searchindex/planted30.ts', importing('../group/mls.ts')],
  ['vault-knows-no-index', 'client/worker/vault/planted31.ts', importing('../searchindex/index.ts')],
  ['primitives-stand-alone', 'client/worker/primitives/planted32.ts', importing('../vault/vault.ts')],
  ['worker-is-an-address', 'client/net/workers.ts', importing('../worker/group/mls.ts')],
  ['mls-in-few-files', 'client/worker/group/planted19.ts', importing('ts-mls')],
  ['react-only-in-tsx', 'client/rooms/list/planted20.ts', importing('react')],
  ['pages-ship-alone', 'client/site/planted21.tsx', importing('../rooms/list/rooms.ts')],
  ['tests-stay-outside', 'server/chat/rooms/planted22.ts', importing('./rooms.test.ts')],
  ['server-ships-its-dependencies', 'server/chat/rooms/planted23.ts', importing('vitest')],
  ['imports-exist', 'client/rooms/list/planted24.ts', importing('./nowhere.ts')],
]

/** Each wing but the highest imports the one above it. */
const climbs = rules
  .filter(({ name }) => name === 'wings-in-order')
  .map(({ from, to }) => ({
    wing: String(from.path).slice(1, -1),
    above: String(to.path).replace(/^\^|[()]|\|.*|\/$/g, ''),
  }))
planted.push(
  ...climbs.map(({ wing, above }): (typeof planted)[number] => [
    'wings-in-order',
    `${wing}/deep/climbs.ts`,
    importing(`../../${above.split('/')[1]}/deep/above.ts`),
  ]),
)

/** Files that the planted violations import. */
const extra = {
  ...Object.fromEntries(climbs.map(({ above }) => [`${above}/deep/above.ts`, 'export const above = 1\n'])),
  'client/rooms/list/planted6.ts': "import type { planted } from './planted5.ts'\nexport type Six = typeof planted\n",
  'contract/chat/planted16.ts': importing('./content.ts'),
  'contract/chat/planted40.ts': importing('./kinds/text.ts'),
  'server/account/family/family.ts': 'export const family = 1\n',
  'server/chat/rooms/store-planted26.ts': importing('drizzle-orm'),
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
    expect([...new Set(planted.map(([rule]) => rule))].sort()).toEqual([...new Set(rules.map(({ name }) => name))].sort())
    for (const { comment } of rules) expect(comment).toMatch(/^[A-Za-z].{30,}[.]$/)
  })
})
