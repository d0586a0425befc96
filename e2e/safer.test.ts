import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { madeAccount } from './crowd.ts'
import { type AtFirefox, FIREFOX, NO_WEBASSEMBLY, SAFER, startFirefox, TOR_BROWSER } from './firefox.ts'
import { test as atServer, customer, givesTier, newAccount, startChat } from './people.ts'
import type { RunningServer } from './server.ts'
import type { Visitor } from './visitor.ts'

if (!FIREFOX) process.stderr.write('skipped: the walks without WebAssembly, because there is no firefox-esr\n')

const test = atServer.skipIf(!FIREFOX)

/** A password takes seconds here, and several times as long beside other tests. */
const SLOW_MS = 90_000
const NOTHING_KEPT = 'Nothing is kept after this window.'

/** Creates an account on the screen, and writes its recovery kit down. */
async function registers({ driver, name, username, password }: AtFirefox, url: string): Promise<void> {
  await driver.open(`${url}/auth`)
  await driver.sees({ css: '.note', text: NOTHING_KEPT })
  await driver.type('Username cannot be changed later', username)
  await driver.type('Display name 1 to 50 characters', name)
  await driver.type('Password 6 to 100 characters', password)
  await driver.type('Repeat password', password)
  await driver.press({ role: 'button', name: 'Create account' })
  await driver.sees({ css: '.kit-words .mono' })
  const words = await driver.asks(() => [...document.querySelectorAll('.kit-words .mono')].map((each) => each.textContent))
  await driver.press({ role: 'button', name: 'I have written it down' })
  await driver.sees({ css: '.kit-three label' })
  const asked = await driver.asks(() => [...document.querySelectorAll('.kit-three label')].map((each) => each.textContent))
  for (const label of asked) await driver.type(label.trim(), words[Number(label.replace(/\D/g, '')) - 1] ?? '')
  await driver.press({ role: 'button', name: 'Check' })
  await driver.press({ role: 'button', name: 'Open Conclave' })
  await driver.sees({ role: 'button', name: 'Add by Username/Onion' })
}

/** Alice gets a plan and Bob as a contact, and both open their chat. */
async function meets(server: RunningServer, alice: AtFirefox, bob: Visitor): Promise<void> {
  await givesTier(server, alice, 'premium')
  await alice.hasPlan()
  await startChat(alice, bob)
}

/** Switches the lock of this browser on, locks it and opens it, without loading the page anew. */
async function locksAndUnlocks({ driver, password }: AtFirefox): Promise<void> {
  await driver.press({ role: 'button', name: 'Profile Settings' })
  await driver.press({ role: 'tab', name: 'Security' })
  await driver.press({ css: '.segments label', text: '5 minutes' })
  await driver.type('Password of this account', password)
  await driver.press({ role: 'button', name: 'Switch on' })
  await driver.sees({ css: '.toast', text: 'The lock is on' })
  await driver.press({ css: 'button', text: 'Lock now' })
  await driver.sees({ role: 'heading', name: 'Locked' })
  await driver.type('Password', password)
  await driver.press({ role: 'button', name: 'Unlock' })
  await driver.misses({ role: 'heading', name: 'Locked' })
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
  await timed('an account and its kit', () => registers(first, server.url))
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

// Four passwords become keys here, each in a minute.
const atSaferLevel = process.env['ONION_WALKS'] ? test : test.skip
atSaferLevel(
  'At the safer level of Tor Browser, without a JIT, she does the same',
  { timeout: 1_200_000 },
  async ({ server }) => {
    await walks(server, SAFER, 300_000)
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
  await driver.press({ role: 'tab', name: 'Security' })
  await driver.sees({ css: 'p', text: 'This window has no store, so there is no lock for it' })
  await driver.press({ role: 'link', name: 'About' })
  await driver.sees({ css: 'p', text: 'Its build:' })
  expect(alice.complaints).toEqual([])
  // The page logs why it asks for a sign-in.
  await driver.open(`${server.url}/`)
  await driver.sees({ css: '.note', text: 'This browser’s keys are gone.' })
  await firefox.close()
})
