import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { madeAccount } from './crowd.ts'
import { FIREFOX, type Firefox, startFirefox } from './firefox.ts'
import { test as atServer, newAccount, personWithProfile } from './people.ts'
import type { RunningServer } from './server.ts'
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

const inChromium = async (server: RunningServer, name: string): Promise<Visitor> =>
  personWithProfile(server, name, { words: (await newCamera()).words })

const inFirefox = (server: RunningServer, name: string, firefox: Firefox): Promise<Visitor> =>
  firefox.person(server, { ...newAccount(name), name })

/** Alice makes her account on the screen. Bob has made his at another browser, and signs in. */
async function walk(server: RunningServer, alice: Visitor, bob: Visitor): Promise<void> {
  await madeAccount(server.url, { ...bob, displayName: bob.name, address: '10.2.0.1' })
  await Promise.all([alice.signsUp(), bob.signsIn().then(bob.addsBrowser)])
  for (const { username } of [alice, bob]) await server.account('set-tier', username, 'premium')
  await Promise.all([alice, bob].map((one) => one.hasPlan()))
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)

  await alice.says('hello from one engine')
  await bob.reads('hello from one engine')
  await bob.says('hello from the other')
  await alice.reads('hello from the other')
  for (const [one, text] of [
    [alice, 'hello from one engine'],
    [bob, 'hello from the other'],
  ] as const)
    await one.seesTick(text, 'Read')

  const plan = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), 'plan.pdf')
  const bytes = randomBytes(300_000)
  await writeFile(plan, bytes)
  await alice.sends(plan)
  expect((await bob.saves('plan.pdf')).equals(bytes)).toBe(true)

  for (const one of [alice, bob]) expect(await one.films()).toEqual(['audio', 'video'])
  await alice.speaks()
  await bob.hears()

  for (const one of [alice, bob]) {
    await one.reloads()
    await one.reads('hello from one engine')
    await one.reads('hello from the other')
  }
  expect((await bob.saves('plan.pdf')).equals(bytes)).toBe(true)
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await Promise.all([alice, bob].map((one) => one.leaves()))
}

test('Alice in Firefox and Bob in Chromium sign in, talk, share a file, hear a voice, and find it all after a reload', async ({
  server,
  firefox,
}) => {
  await walk(server, await inFirefox(server, 'Alice', firefox), await inChromium(server, 'Bob'))
})

test('Alice in Chromium and Bob in Firefox do the same', async ({ server, firefox }) => {
  await walk(server, await inChromium(server, 'Alice'), await inFirefox(server, 'Bob', firefox))
})
