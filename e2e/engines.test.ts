import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { buysPlan, locksAndUnlocks, registers } from './day.ts'
import { FIREFOX, type Firefox, startFirefox } from './firefox.ts'
import { test as atServer, customerWithProfile, newAccount, startChat } from './people.ts'
import type { Visitor } from './visitor.ts'

if (!FIREFOX) process.stderr.write('skipped: the walk in a second engine, because there is no firefox-esr\n')

const test = atServer
  .extend<{ firefox: Firefox }>({
    firefox: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
      async ({}, use) => {
        const firefox = await startFirefox(FIREFOX ?? '')
        await use(firefox)
        await firefox.close()
      },
      { scope: 'file' },
    ],
  })
  .skipIf(!FIREFOX)

async function newFile(name: string, sizeBytes: number): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), name)
  await writeFile(path, randomBytes(sizeBytes))
  return path
}

/** One sends a file, and the other saves it as it was. Returns its bytes. */
async function share(one: Visitor, other: Visitor, name: string): Promise<Buffer> {
  const file = await newFile(name, 300_000)
  const bytes = await readFile(file)
  await one.sends(file)
  expect((await other.saves(name)).equals(bytes)).toBe(true)
  return bytes
}

test('Alice in Firefox and Bob in Chromium have a whole day: account, kit, plan, messages, files by the server and directly, a voice, calls, a line that is lost, a reload, a lock, and another browser of hers', async ({
  server,
  firefox,
}) => {
  const account = { ...newAccount('Alice'), name: 'Alice' }
  const alice = await firefox.person(server, account)
  const bob: Visitor = await customerWithProfile(server, 'Bob', { words: (await newCamera()).words })
  await registers(alice, server.url)
  await buysPlan(alice, server.url)
  await startChat(alice, bob)

  await alice.says('hello from one engine')
  await bob.reads('hello from one engine')
  await bob.says('hello from the other')
  await alice.reads('hello from the other')
  for (const [one, text] of [
    [alice, 'hello from one engine'],
    [bob, 'hello from the other'],
  ] as const)
    await one.seesTick(text, 'Read')

  await share(alice, bob, 'plan.pdf')
  const answer = await share(bob, alice, 'answer.pdf')

  for (const one of [alice, bob]) await one.allowsAddress()
  for (const [one, other, name] of [
    [alice, bob, 'there.bin'],
    [bob, alice, 'back.bin'],
  ] as const) {
    const path = await newFile(name, 300_000)
    await one.offersDirectly(path)
    await other.takesDirectly(name)
    expect((await other.savesDirectly(name)).equals(await readFile(path))).toBe(true)
  }

  expect(await alice.films()).toEqual(['audio', 'video'])
  await alice.speaks()
  await bob.hears()
  await alice.hears()

  for (const [caller, callee, kind] of [
    [alice, bob, 'voice'],
    [bob, alice, 'video'],
  ] as const) {
    await caller.calls(kind)
    await callee.isRung(kind)
    await callee.takesCall()
    expect(await callee.talks()).toBe(await caller.talks())
    for (const one of [caller, callee]) await (kind === 'video' ? one.sees(10) : one.listens())
    await caller.hangsUp()
    await Promise.all([alice, bob].map((one) => one.hasLeftCall()))
  }

  await alice.isOffline(true)
  await alice.isNotConnected('Connected')
  await bob.says('while your line was lost')
  await alice.types('written meanwhile')
  await alice.driver.press({ role: 'button', name: 'Send when connected' })
  await alice.isOffline(false)
  await alice.reads('while your line was lost')
  await bob.reads('written meanwhile')

  await alice.reloads()
  await alice.reads('hello from one engine')
  await alice.reads('hello from the other')
  expect((await alice.saves('answer.pdf')).equals(answer)).toBe(true)

  await locksAndUnlocks(alice)
  await bob.says('after the lock')
  await alice.driver.press({ role: 'button', name: 'Back to chat' })
  await alice.opens(bob)
  await alice.reads('after the lock')

  const second = await firefox.person(server, account)
  await second.signsIn()
  await second.addsBrowser()
  await second.opens(bob)
  await second.reads('hello from one engine')
  await second.says('from my other browser')
  await Promise.all([alice, bob].map((one) => one.reads('from my other browser')))
  expect([...alice.complaints, ...second.complaints, ...bob.complaints]).toEqual([])
  await Promise.all([alice, second, bob].map((one) => one.leaves()))
})
