// Node built-ins only: node_modules may not exist yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
process.chdir(root)
const LOCK = '.setup.lock'
const INSTALLED = 'node_modules/.setup-stamp'
const BUILT = 'dist/.stamp'
const SOURCES = [
  'client',
  'contract',
  'docs/protocol.md',
  'docs/threat-model.md',
  'docs/verify.md',
  'server',
  'scripts/account.ts',
  'scripts/apache-2.0.txt',
  'scripts/build.ts',
  'scripts/fonts.ts',
  'scripts/frames.ts',
  'scripts/html.ts',
  'scripts/integrity.ts',
  'scripts/manifest.ts',
  'scripts/markdown.ts',
  'scripts/notices.ts',
  'scripts/pages.ts',
  'scripts/programs.ts',
  'scripts/render.ts',
  'scripts/schemas.ts',
  'scripts/worker.ts',
  'package.json',
  'vite.config.ts',
]

requireNode()
takeLock()
install()
if (process.argv.includes('--build')) build()

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Conclave needs Node 20.19 or newer; this is ${process.version}. Get it from https://nodejs.org`)
}

/** Takes the lock, because `npm start` and `npm test` may run at once. The lock of a dead process does not count. */
function takeLock() {
  const mine = `${LOCK}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  let hasSaid = false
  for (;;) {
    try {
      linkSync(mine, LOCK)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!isAlive(readNumber(LOCK))) {
      rmSync(LOCK, { force: true, recursive: true })
      continue
    }
    if (!hasSaid) say('Waiting for another set-up to finish')
    hasSaid = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  rmSync(mine, { force: true })
  process.on('exit', () => rmSync(LOCK, { force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
}

function install() {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const wanted = hashOf(['package-lock.json'], JSON.stringify([dependencies, devDependencies, optionalDependencies]))
  if (readText(INSTALLED) === wanted) return
  const started = Date.now()
  say('Installing packages (once, about half a minute)')
  rmSync(INSTALLED, { force: true })
  if (npm('ci').status !== 0) fail('The packages could not be installed: see above')
  writeFileSync(INSTALLED, wanted)
  say(`Installed in ${seconds(started)}`)
}

function npm(word) {
  const args = [word, '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  // Uses the npm that runs this script, not the one in PATH.
  const self = process.env.npm_execpath
  const [command, all] = self?.endsWith('.js') ? [process.execPath, [self, ...args]] : ['npm', args]
  const options = { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'development' } }
  return spawnSync(command, all, options)
}

function build() {
  // The policy of WEBCAT's manifest names the bucket, and the origin of the frame.
  const { S3_PUBLIC_URL = '', CHECKOUT_ORIGIN = '' } = process.env
  const wanted = hashOf(SOURCES.flatMap(filesIn), readText(INSTALLED) + S3_PUBLIC_URL + CHECKOUT_ORIGIN)
  if (readText(BUILT) === wanted) return
  const started = Date.now()
  say('Building')
  rmSync(BUILT, { force: true })
  // React and other packages read NODE_ENV when they are bundled.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { stdio: 'inherit', env })
  if (status !== 0) fail('The build failed: see above')
  mkdirSync('dist', { recursive: true })
  writeFileSync(BUILT, wanted)
  say(`Built in ${seconds(started)}`)
}

function hashOf(files, more) {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch} ${more}`)
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file))
  return hash.digest('hex')
}

function filesIn(place) {
  if (!statSync(place).isDirectory()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readText(file) {
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : ''
}

function readNumber(file) {
  return Number(readText(file))
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`
}

function fail(line) {
  say(line)
  process.exit(1)
}
