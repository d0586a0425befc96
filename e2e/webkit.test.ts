import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { madeAccount } from './crowd.ts'
import { locksAndUnlocks, unlocks } from './day.ts'
import { test as atServer, customer, givesTier, newAccount, startChat } from './people.ts'
import { HAS_WEBKIT, personAtWebKit } from './webkit.ts'

if (!HAS_WEBKIT) process.stderr.write('skipped: the walk in WebKit, because there is no webkit2gtk-driver or no xvfb\n')

const test = atServer.skipIf(!HAS_WEBKIT)

test('Alice in WebKit signs in, talks with Bob in Chromium, shares a file, locks and unlocks, and goes on in a page that she has left and come back to', async ({
  server,
}) => {
  const account = newAccount('Alice')
  const opening = personAtWebKit(server, { ...account, name: 'Alice' })
  onTestFinished(async () => (await opening).leaves())
  const [alice, bob] = await Promise.all([
    opening,
    customer(server, 'Bob'),
    madeAccount(server.url, { ...account, displayName: 'Alice', address: '10.2.0.7' }),
  ])
  const { driver } = alice
  await alice.signsIn()
  await alice.addsBrowser()
  await givesTier(server, alice, 'premium')
  await alice.hasPlan()
  await startChat(alice, bob)
  const chat = await driver.asks(() => location.href)
  await alice.says('hello from WebKit')
  await bob.reads('hello from WebKit')
  await bob.says('hello from Chromium')
  await alice.reads('hello from Chromium')
  await alice.seesTick('hello from WebKit', 'Read')

  const file = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), 'plan.pdf')
  await writeFile(file, randomBytes(300_000))
  await alice.sends(file)
  for (const one of [alice, bob]) expect((await one.saves('plan.pdf')).equals(await readFile(file))).toBe(true)

  await locksAndUnlocks(alice)
  await bob.says('after the lock')
  // While it still catches up the page is left for another, as by a link, and kept for Back with all that it holds.
  await driver.open(chat)
  await unlocks(alice)
  await alice.reads('after the lock')
  await alice.says('here I am')
  await bob.reads('here I am')
  await driver.asks(() => history.back())
  await unlocks(alice)
  await bob.says('and back')
  await driver.press({ role: 'button', name: 'Back to chat' })
  await alice.opens(bob)
  await alice.reads('and back')
  await Promise.all([alice, bob].map((one) => one.leaves()))
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})
