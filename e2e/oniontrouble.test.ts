import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { FIREFOX, SAFER, startFirefox } from './firefox.ts'
import { isInstalled } from './networks.ts'
import { torPreferences } from './onionbrowsers.ts'
import { ask, expectOnlyOnion, publishedBy, onionTest as test, torOf, watchScreens, whyNoOnion } from './onionscene.ts'
import { givesTier, newAccount } from './people.ts'
import { startServer } from './server.ts'
import { startSocks } from './socks.ts'

if (whyNoOnion) process.stderr.write(`skipped: a tor in trouble, because ${whyNoOnion}\n`)
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
/** How long a server waits before it says what its tor waits for, and a tor that has ended often before it is started again. */
const SAID_MS = 180_000
/** A password takes a minute without a JIT, and several where others fill the cores. */
const STRETCHED_MS = 900_000
const LONG = { timeout: 1_500_000 }

/** How many run, also of a server that has ended. */
const torsOf = (dataFolder: string): string =>
  spawnSync('pgrep', ['-c', '-f', join(dataFolder, 'tor')], { encoding: 'utf8' }).stdout.trim()

test('Nothing that the palette leads to asks anybody but the onion, and neither does a look for a way of a call', async ({
  onionUrl,
  firefox,
  talking: [alice, bob],
}) => {
  await alice.says('hello')
  await bob.reads('hello')
  const { page } = bob
  const looks = watchScreens(page)
  const chat = page.url()
  const entries = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
  const opensPalette = async () => {
    await page.goto(chat)
    await page.getByLabel('Message', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await entries.first().waitFor()
  }
  await opensPalette()
  const names = await entries.locator('.cut:first-of-type').allTextContents()
  expect(names.length).toBeGreaterThan(20)
  for (const name of names.filter((each) => each !== 'Logout')) {
    await opensPalette()
    await page.getByRole('combobox', { name: 'Chats, settings and actions' }).fill(name)
    await entries
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
      .click()
    await page.locator('.palette').waitFor({ state: 'detached' })
    await looks(name)
  }
  await page.goto(chat)
  await alice.says('still here')
  await bob.reads('still here')
  await bob.leaves()
  await expectOnlyOnion(onionUrl, bob, firefox.asked())
})

test(
  'Tor killed twenty times comes back each time, what Alice writes between is there once, and none is left behind',
  LONG,
  async ({ network, server, talking: [alice] }) => {
    const pids: number[] = []
    for (let kill = 0; kill < 20; kill++) {
      await alice.isConnected('Connected via Tor')
      await alice.says(`before kill ${kill}.`)
      pids.push(torOf(server))
      const from = server.output().length
      process.kill(pids.at(-1) ?? 0, 'SIGKILL')
      await alice.isNotConnected('Connected via Tor')
      expect((await ask(`${server.url}/api/health`)).status).toBe(200)
      await publishedBy(server, network, from)
    }
    await alice.isConnected('Connected via Tor')
    await alice.seesTick('before kill 19.', 'Sent')
    const shown = (await alice.shows()).filter((text) => text.startsWith('before kill'))
    expect(shown.map((text) => text.trim())).toEqual(pids.map((_, kill) => `before kill ${kill}.`))
    expect(new Set(pids).size).toBe(20)
    expect(torsOf(server.dataFolder)).toBe('1')
  },
)

test(
  'At the safer level of Tor Browser Carol signs up over the onion and is told that nothing is kept',
  LONG,
  async ({ network, server, onionUrl }) => {
    const socks = await startSocks(network.client.dials)
    const firefox = await startFirefox(FIREFOX ?? '', {
      preferences: { ...torPreferences(socks.port), ...SAFER },
      patienceMs: STRETCHED_MS,
    })
    const carol = await firefox.person({ url: onionUrl }, { ...newAccount('Carol'), name: 'Carol' })
    await carol.driver.open(`${onionUrl}/auth`)
    await carol.driver.sees({ css: '.note', text: 'Nothing is kept after this window.' })
    await carol.signsUp()
    await carol.isConnected('Connected via Tor')
    await givesTier(server, carol, 'premium')
    await carol.leaves()
    await firefox.close()
    await socks.stop()
  },
)

interface Trouble {
  ends?: () => void
  /** A folder whose programs the server finds first. */
  path?: string
}

/** Why the onion service of this server does not come, in its own words. Its direct side answers meanwhile. */
async function trouble(dataFolder: string, config: string, words: RegExp, { ends, path }: Trouble = {}): Promise<void> {
  const paths = path === undefined ? {} : { PATH: `${path}${delimiter}${process.env['PATH']}` }
  const server = await startServer({ TOR: 'auto', TOR_CONFIG: config, CONCLAVE_DATA: dataFolder, ...paths })
  await expect.poll(() => server.output(), { timeout: SAID_MS }).toMatch(words)
  const { status, body } = await ask(`${server.url}/api/health`)
  expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ onionAddress: null })])
  ends?.()
  await server.stop()
  await expect.poll(() => torsOf(dataFolder)).toBe('0')
}

test('A folder that others may open, and a network that does not answer: clear words, and the direct side goes on', async ({
  network,
}) => {
  const open = await mkdtemp(join(tmpdir(), 'conclave-open-'))
  await mkdir(join(open, 'onion'))
  await chmod(join(open, 'onion'), 0o755)
  await trouble(open, network.config, /Other accounts may open the folder of the onion key/)

  const nowhere = join(await mkdtemp(join(tmpdir(), 'conclave-nowhere-')), 'torrc')
  const nobody = `DirAuthority nobody orport=1 no-v2 v3ident=${'F'.repeat(40)} 127.0.0.1:1 ${'F'.repeat(40)}\n`
  await writeFile(nowhere, `TestingTorNetwork 1\n${nobody}`)
  await trouble(await mkdtemp(join(tmpdir(), 'conclave-nowhere-')), nowhere, /Tor does not come into its network: it stands at/)
})

test('A full disk below tor: clear words, and the direct side goes on', async ({ network, skip }) => {
  skip(!isRoot, 'only root on Linux mounts a small disk')
  const dataFolder = await mkdtemp(join(tmpdir(), 'conclave-full-'))
  const disk = join(dataFolder, 'tor')
  await mkdir(disk, { mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=700', 'tmpfs', disk])
  await trouble(dataFolder, network.config, /The disk is full/, { ends: () => void execFileSync('umount', ['-l', disk]) })
})

test('A clock that is wrong, behind or ahead: clear words, and the direct side goes on', async ({ network, skip }) => {
  skip(!isInstalled('faketime'), 'there is no faketime (Debian: faketime)')
  for (const [shift, words] of [
    ['-2h', /The clock of this machine is wrong: by the Tor network it is 2 hours behind/],
    ['+2h', /The clock of this machine is wrong: by the Tor network it is 2 hours ahead/],
  ] as const) {
    const dataFolder = await mkdtemp(join(tmpdir(), 'conclave-clock-'))
    await trouble(dataFolder, network.config, words, { path: await torWithClock(shift) })
  }
})

/** A folder with a tor whose clock is wrong by this. */
async function torWithClock(shift: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-clocktor-'))
  const [tor, preloads] = ['which tor', 'faketime -f +0 printenv LD_PRELOAD'].map((line) => {
    const [program = '', ...words] = line.split(' ')
    return execFileSync(program, words, { encoding: 'utf8' }).trim()
  })
  const script = `#!/bin/sh\nexport LD_PRELOAD='${preloads}' FAKETIME='${shift}'\nexec ${tor} "$@"\n`
  await writeFile(join(folder, 'tor'), script, { mode: 0o755 })
  return folder
}
