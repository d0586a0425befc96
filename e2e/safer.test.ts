import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { madeAccount } from './crowd.ts'
import { locksAndUnlocks, registers } from './day.ts'
import { type AtFirefox, FIREFOX, NO_WEBASSEMBLY, SAFER, startFirefox, TOR_BROWSER } from './firefox.ts'
import { test as atServer, customer, givesTier, newAccount, startChat } from './people.ts'
import type { RunningServer } from './server.ts'
import type { Visitor } from './visitor.ts'

if (!FIREFOX) process.stderr.write('skipped: the walks without WebAssembly, because there is no firefox-esr\n')

const test = atServer.skipIf(!FIREFOX)

/** A password takes seconds here, and several times as long beside other tests. */
const SLOW_MS = 180_000
const NOTHING_KEPT = 'Nothing is kept after this window.'

/** Alice gets a plan and Bob as a contact, and both open their chat. */
async function meets(server: RunningServer, alice: AtFirefox, bob: Visitor): Promise<void> {
  await givesTier(server, alice, 'premium')
  await alice.hasPlan()
  await startChat(alice, bob)
}

/** Alice registers, comes again as another browser, talks with Bob in Chromium, and locks. Tells how long each took. */
async function walks(server: RunningServer, preferences: Record<string, boolean>, patienceMs = SLOW_MS): Promise<void> {
  const firefox = await startFirefox(FIREFOX ?? '', { preferences, patienceMs })
  const took: string[] = []
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const begunMs = performance.now()
    await work()
    took.push(`${what} ${((performance.now() - begunMs) / 1000).toFixed(1)} s`)
  }
  const account = { ...newAccount('Alice'), name: 'Alice' }
  const first = await firefox.person(server, account)
  const bob = await customer(server, 'Bob')
  await timed('an account and its kit', async () => {
    await first.driver.open(`${server.url}/auth`)
    await first.driver.sees({ css: '.note', text: NOTHING_KEPT })
    await registers(first, server.url)
  })
  await first.leaves()

  const alice = await firefox.person(server, account)
  await timed('a sign-in', () => alice.signsIn().then(alice.addsBrowser))
  await meets(server, alice, bob)
  await timed('the first message, with its group', () =>
    alice.says('from a safe place').then(() => bob.reads('from a safe place')),
  )
  await timed('an answer', () => bob.says('come in').then(() => alice.reads('come in')))
  await timed('a message', () => alice.says('I am in').then(() => bob.reads('I am in')))

  const file = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), 'plan.pdf')
  await writeFile(file, randomBytes(300_000))
  await timed('a file of 300 kB', async () => {
    await alice.sends(file)
    expect((await bob.saves('plan.pdf')).equals(await readFile(file))).toBe(true)
  })
  await timed('a lock, set and opened', () => locksAndUnlocks(alice))
  await bob.says('still there?')
  await alice.driver.press({ role: 'button', name: 'Back to chat' })
  await alice.opens(bob)
  await alice.reads('still there?')
  await alice.reads('from a safe place')
  process.stdout.write(`safer: ${took.join(', ')}\n`)
  expect([...first.complaints, ...alice.complaints, ...bob.complaints]).toEqual([])
  await bob.leaves()
  await firefox.close()
}

test('Without WebAssembly, in a private window, Alice registers, signs in as another browser, talks, sends a file, and locks', async ({
  server,
}) => {
  await walks(server, { ...TOR_BROWSER, ...NO_WEBASSEMBLY })
})

// Four passwords become keys here, each in a minute, and in seven where others fill the cores.
const atSaferLevel = process.env['ONION_WALKS'] ? test : test.skip
atSaferLevel(
  'At the safer level of Tor Browser, without a JIT, she does the same',
  { timeout: 3_600_000 },
  async ({ server }) => {
    await walks(server, SAFER, 900_000)
  },
)

test('In a window without any store Alice is told so, talks from one tab alone, and has neither direct transfers nor a lock', async ({
  server,
  bob,
}) => {
  const preferences = { ...TOR_BROWSER, ...NO_WEBASSEMBLY, 'dom.indexedDB.privateBrowsing.enabled': false }
  const firefox = await startFirefox(FIREFOX ?? '', { preferences, patienceMs: SLOW_MS })
  const alice = await firefox.person(server, { ...newAccount('Alice'), name: 'Alice' })
  const { driver } = alice
  await madeAccount(server.url, { ...alice, displayName: alice.name, address: '10.2.0.2' })
  await alice.signsIn()
  await driver.sees({ css: '.note', text: 'each time the page is loaded, and in one tab alone' })
  await alice.addsBrowser()
  await meets(server, alice, bob)
  await alice.says('nothing stays here')
  await bob.reads('nothing stays here')

  const other = await alice.tab()
  await other.open(`${server.url}/auth`)
  await other.sees({ css: '.note', text: 'Conclave is open in another tab of this window' })
  await bob.says('still there?')
  await alice.reads('still there?')

  await driver.press({ role: 'button', name: 'Attach files' })
  await driver.press({ role: 'menuitem', name: 'Send directly, up to 100 MB' })
  await driver.sees({ css: '.dialog', text: 'Direct transfers are not supported in this browser.' })
  await driver.press({ css: '.dialog footer button', text: 'Close' })

  await driver.press({ role: 'button', name: 'Profile Settings' })
  await driver.press({ css: '[role="tab"]', text: 'Security' })
  await driver.sees({ css: 'p', text: 'This window has no store, so there is no lock for it' })
  await driver.press({ role: 'link', name: 'About' })
  await driver.sees({ css: 'p', text: 'Its build:' })
  expect(alice.complaints).toEqual([])
  // The page logs why it asks for a sign-in.
  await driver.open(`${server.url}/`)
  await driver.sees({ css: '.note', text: 'This browser’s keys are gone.' })
  await firefox.close()
})
