import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { authenticate, connectControl } from './control.ts'
import { prepareKey } from './onionKey.ts'
import { openOnion } from './openOnion.ts'
import { findTor } from './program.ts'

const program = findTor()
if (program === undefined) process.stderr.write('skipped: tor is not installed (Debian: tor)\n')
const withTor = test.runIf(program !== undefined && existsSync('/proc/self/cmdline'))
// tor opens no connection to any network.
const configFile = path.join(mkdtempSync(path.join(tmpdir(), 'more-')), 'torrc')
writeFileSync(configFile, 'DisableNetwork 1\n')
const settings = { mode: 'required' as const, control: undefined, configFile, socketPath: undefined }
const newFolder = () => mkdtempSync(path.join(tmpdir(), 'r-'))
const started = new Set<string>()

/** The processes of tor on this data folder. */
function torsOf(dataFolder: string): number[] {
  const torrc = path.join(dataFolder, 'tor/torrc')
  return readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each) && commandOf(each).includes(torrc))
    .map(Number)
}

function commandOf(pid: string): string[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words[0] === program ? words : []
  } catch {
    return []
  }
}

afterAll(() => {
  for (const folder of started) for (const pid of torsOf(folder)) process.kill(pid, 'SIGKILL')
})

async function starts(dataFolder: string) {
  started.add(dataFolder)
  const log: string[] = []
  const say = (sentence: string) => void log.push(sentence)
  const onion = openOnion(
    { tor: settings, onionUrl: undefined },
    { dataFolder, log: { info: say, warn: say }, againMs: [10, 20] },
  )
  await onion.start(() => createServer((_request, response) => response.end('here')))
  return { onion, log }
}

/** Resolves when its tor answers at the control socket, with that tor's process. */
async function answers(dataFolder: string, ask = 'GETINFO process/pid'): Promise<string> {
  return await vi.waitFor(
    async () => {
      const control = await connectControl({ path: path.join(dataFolder, 'tor/control') }, () => undefined)
      try {
        await authenticate(control, undefined)
        return (await control.ask(ask))[0] ?? ''
      } finally {
        control.end()
      }
    },
    { timeout: 20_000, interval: 20 },
  )
}

withTor(
  'tor takes our key as its own, a restart and a copy of the key keep the address, and nothing is left running',
  async () => {
    const dataFolder = newFolder()
    const first = await starts(dataFolder)
    const address = first.onion.address() ?? ''
    await answers(dataFolder)
    await first.onion.stop()
    expect(torsOf(dataFolder)).toEqual([])
    const again = await starts(dataFolder)
    expect(again.onion.address()).toBe(address)
    await answers(dataFolder)
    await again.onion.stop()
    // The secret alone is a backup, and tor itself finds the same address in it.
    const copy = newFolder()
    mkdirSync(path.join(copy, 'onion'), { mode: 0o700 })
    copyFileSync(path.join(dataFolder, 'onion/hs_ed25519_secret_key'), path.join(copy, 'onion/hs_ed25519_secret_key'))
    expect(prepareKey(path.join(copy, 'onion')).address).toBe(address)
    rmSync(path.join(copy, 'onion/hostname'))
    started.add(copy)
    const torrc = path.join(copy, 'torrc')
    const lines = [
      'DisableNetwork 1',
      'SocksPort 0',
      `DataDirectory ${copy}/tor`,
      `HiddenServiceDir ${copy}/onion`,
      'HiddenServicePort 80 1',
    ]
    writeFileSync(torrc, `${lines.join('\n')}\n__OwningControllerProcess ${process.pid}\n`)
    const child = spawn(program ?? '', ['-f', torrc, '--defaults-torrc', '/dev/null'], { stdio: 'ignore' })
    await vi.waitUntil(() => existsSync(path.join(copy, 'onion/hostname')), { timeout: 20_000 })
    child.kill('SIGKILL')
    expect(readFileSync(path.join(copy, 'onion/hostname'), 'utf8').trim()).toBe(address)
  },
  60_000,
)

withTor(
  'tor that is killed twenty times comes back each time',
  async () => {
    const dataFolder = newFolder()
    const { onion } = await starts(dataFolder)
    const seen = new Set<string>()
    for (let round = 0; round <= 20; round++) {
      const pid = await answers(dataFolder)
      seen.add(pid)
      if (round < 20) process.kill(Number(/\d+/.exec(pid)?.[0]), 'SIGKILL')
      await vi.waitUntil(
        () => torsOf(dataFolder).length === 1 && (round === 20 || !seen.has(`process/pid=${torsOf(dataFolder)[0]}`)),
        {
          timeout: 20_000,
          interval: 10,
        },
      )
    }
    expect(seen.size).toBe(21)
    await onion.stop()
    expect(torsOf(dataFolder)).toEqual([])
  },
  120_000,
)

withTor(
  'tor takes every line of its configuration, and the defence by work where it has it',
  async () => {
    const dataFolder = newFolder()
    const { onion, log } = await starts(dataFolder)
    const option = await answers(dataFolder, 'GETCONF HiddenServiceOptions')
    expect(option).toContain('HiddenServiceDir')
    expect(log.filter((each) => /ended|not use|full/.test(each))).toEqual([])
    const torrc = readFileSync(path.join(dataFolder, 'tor/torrc'), 'utf8')
    const modules = spawnSync(program ?? '', ['--list-modules'], { encoding: 'utf8' }).stdout
    expect(torrc.includes('PoWDefensesEnabled 1')).toBe(/^pow: yes$/m.test(modules))
    await onion.stop()
  },
  60_000,
)

withTor('a folder of the key that others may open is refused by tor as well as by us', async () => {
  const dataFolder = newFolder()
  mkdirSync(path.join(dataFolder, 'onion'), { mode: 0o700 })
  chmodSync(path.join(dataFolder, 'onion'), 0o755)
  await expect(starts(dataFolder)).rejects.toThrow(/chmod 700/)
  expect(torsOf(dataFolder)).toEqual([])
  const words = [
    '--verify-config',
    '-f',
    configFile,
    '--HiddenServiceDir',
    path.join(dataFolder, 'onion'),
    '--HiddenServicePort',
    '80 1',
  ]
  const { status, stdout } = spawnSync(program ?? '', [...words, '--DataDirectory', newFolder()], { encoding: 'utf8' })
  expect([status, /too permissive/.test(stdout)]).toEqual([1, true])
})

withTor(
  'tor ends with a server that is killed',
  async () => {
    const dataFolder = newFolder()
    started.add(dataFolder)
    const parent = path.join(dataFolder, 'parent.mts')
    writeFileSync(
      parent,
      `import { createServer } from 'node:http'
     import { openOnion } from ${JSON.stringify(path.join(import.meta.dirname, 'openOnion.ts'))}
     const tor = ${JSON.stringify(settings)}
     const log = { info() {}, warn: (sentence) => process.stdout.write(sentence) }
     const onion = openOnion({ tor, onionUrl: undefined }, { dataFolder: ${JSON.stringify(dataFolder)}, log, patienceMs: 1 })
     await onion.start(() => createServer())
     setInterval(() => undefined, 1000)`,
    )
    const cwd = path.resolve(import.meta.dirname, '../../..')
    const child = spawn(process.execPath, ['--import', 'tsx', parent], { stdio: ['ignore', 'pipe', 'ignore'], cwd })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
    })
    // It is told by the connection that owns tor.
    await vi.waitUntil(() => said.includes('Tor does not come into its network'), { timeout: 30_000 })
    expect(torsOf(dataFolder)).toHaveLength(1)
    child.kill('SIGKILL')
    await vi.waitUntil(() => torsOf(dataFolder).length === 0, { timeout: 10_000 })
  },
  60_000,
)
