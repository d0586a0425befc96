import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { BUILD_ADDRESS, SERVICE_WORKER_ADDRESS } from '../contract/site/addresses.ts'
import { readBuild } from '../contract/site/build.ts'
import { PAGES } from '../contract/site/pages.ts'

const root = path.resolve(import.meta.dirname, '..')
const SOURCES = ['client', 'contract', 'docs', 'scripts', 'server', 'package.json', 'tsconfig.json', 'vite.config.ts']
const BUILD = `const { build } = await import('vite'); await build({ configFile: 'vite.config.ts', logLevel: 'error' })`
const elsewhere = path.join(mkdtempSync(path.join(tmpdir(), 'conclave-build-')), 'another place')
afterAll(() => rmSync(path.dirname(elsewhere), { recursive: true }))

test('two builds of the same sources at two places are the same, byte for byte', { timeout: 120_000 }, async () => {
  // The first one is what the tests run.
  if (!existsSync(path.join(root, 'dist/client'))) throw new Error('There is no client: node scripts/setup.mjs --build')
  mkdirSync(elsewhere)
  for (const name of SOURCES) cpSync(path.join(root, name), path.join(elsewhere, name), { recursive: true })
  const modules = path.join(elsewhere, 'node_modules')
  // Links, because the packages are large. Where the folder is on another disk their path stays the same.
  if (spawnSync('cp', ['-al', path.join(root, 'node_modules'), modules]).status === 0)
    rmSync(path.join(modules, '.cache'), { recursive: true, force: true })
  else symlinkSync(path.join(root, 'node_modules'), modules)
  const env = { ...process.env, NODE_ENV: 'production', TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8' }
  await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', BUILD], { cwd: elsewhere, env })

  const read = (folder: string, name: string) => readFileSync(path.join(folder, 'dist/client', name))
  const build = readBuild(JSON.parse(read(root, BUILD_ADDRESS).toString()))
  const names = Object.keys(build?.files ?? {}).map((address) => PAGES[address] ?? address)
  expect(names.length).toBeGreaterThan(50)
  for (const name of [...names, SERVICE_WORKER_ADDRESS, BUILD_ADDRESS])
    expect(read(elsewhere, name).equals(read(root, name)), name).toBe(true)
  expect(readFileSync(path.join(elsewhere, 'dist/webcat/manifest.json'), 'utf8')).toBe(
    readFileSync(path.join(root, 'dist/webcat/manifest.json'), 'utf8'),
  )
  // No path of this machine is in it.
  for (const name of names) expect(read(root, name).includes(root), name).toBe(false)
})
