import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import * as lies from './lies.ts'
import { customer, startChat } from './people.ts'
import type { Person } from './person.ts'
import { type Frame, type Lie, type LyingProxy, startProxy } from './proxy.ts'
import { looksFine, putsCallsAway } from './screen.ts'
import { type RunningServer, startServer } from './server.ts'

// They share one lying server, and the chat of Alice and Bob.
let proxy: LyingProxy
let server: RunningServer
let alice: Person
let bob: Person
let eve: Person

beforeAll(async () => {
  proxy = await startProxy()
  // With an address of its own it has no relay.
  const real = await startServer({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url })
  proxy.leadsTo(real.url)
  server = { ...real, url: proxy.url }
  ;[alice, bob, eve] = await Promise.all([
    customer(server, 'Alice', { hasDevices: true }),
    customer(server, 'Bob', { hasDevices: true }),
    customer(server, 'Eve'),
  ])
  await startChat(alice, bob)
  await alice.says('shall we talk?')
  await bob.reads('shall we talk?')
  // So that each test also runs alone: the first one asks.
  for (const one of [alice, bob]) await one.allowsAddress()
})
afterEach(async () => {
  proxy.tellsTruth()
  await goesBack()
})
afterAll(async () => {
  for (const one of [alice, bob, eve]) expect(one.complaints).toEqual([])
  await server.stop()
  await proxy.stop()
})

const idOf = ({ page }: Person) => page.evaluate(async () => String((await (await fetch('/api/user')).json()).id))
const deviceOf = ({ page }: Person) => page.evaluate(async () => String((await (await fetch('/api/user')).json()).deviceId))
const STOPPED = 'The call was stopped'

/** What has come through of pictures and sound, in all calls of this page. */
const heard = async (one: Person) => {
  const { framesDecoded, audioPackets } = await one.flows()
  return framesDecoded + audioPackets
}

async function ringsThrough(): Promise<void> {
  await alice.calls('video')
  await bob.isRung('video')
  await bob.takesCall()
}

const goesBack = () => putsCallsAway([alice, bob])

/** Frames of a call that nobody has touched. */
const earlier: Frame[] = []

test('Without a relay each is asked once whether the other may see their address; of it, as of all that a call agrees on, the server sees nothing', async () => {
  for (const { page } of [alice, bob]) await page.evaluate(() => localStorage.removeItem('call-address'))
  proxy.lies(lies.notesCalls(earlier))
  await alice.calls('video')
  const asked = alice.page.getByRole('dialog', { name: 'Bob’s browser will see your network address.' })
  await asked.waitFor()
  await looksFine(alice.page, 'an address that a call shows')
  expect(await bob.page.getByRole('alertdialog').count()).toBe(0)
  await asked.getByRole('button', { name: 'Call', exact: true }).click()
  await bob.isRung('video')
  await bob.takesCall()
  await bob.page
    .getByRole('dialog', { name: 'Alice’s browser will see' })
    .getByRole('button', { name: 'Accept', exact: true })
    .click()
  expect(await alice.talks()).toBe(await bob.talks())
  await Promise.all([alice.sees(5), bob.sees(5)])
  await alice.hangsUp()
  await goesBack()
  const types = new Set(earlier.map(({ type }) => type))
  for (const type of ['call-offer', 'call-answer', 'call-signal', 'ice-candidate']) expect(types).toContain(type)
  const raw = earlier.flatMap(({ data }) =>
    [data['signal'], data['candidate']].map((text) => Buffer.from(String(text), 'base64')),
  )
  const seen = JSON.stringify(earlier) + Buffer.concat(raw).toString('latin1')
  for (const word of ['fingerprint', 'candidate:', 'ufrag', '127.0.0.1', 'sha-256']) expect(seen).not.toContain(word)
})

test('A server that changes a ring, an answer or a sealed description, or sends those of an earlier call, connects nothing, and the call ends by name', async () => {
  for (const lie of [lies.alteredSignals, lies.otherCommit, lies.otherAnswer, lies.replayed(earlier)]) {
    proxy.lies(lie)
    await ringsThrough()
    // Whoever meets the change first.
    const told = () => Promise.all([alice, bob].map(({ page }) => page.getByText(STOPPED, { exact: true }).count()))
    await expect.poll(told).toContain(1)
    const [byAlice] = await told()
    if (lie === lies.alteredSignals) await looksFine((byAlice ? alice : bob).page, 'a call that somebody has changed')
    for (const one of [alice, bob]) expect(await heard(one)).toBe(0)
    await goesBack()
  }
})

test('A server that sends what a call has sealed in another name, or as of another call, connects nothing', async () => {
  for (const lie of [lies.otherSender(await idOf(eve)), lies.otherCallId]) {
    let changed = 0
    const frame: Lie['frame'] = (one) => {
      const other = lie.frame?.(one)
      if (other !== one) changed++
      return other
    }
    proxy.lies({ frame })
    await ringsThrough()
    await expect.poll(() => changed).toBeGreaterThan(2)
    await Promise.all([alice, bob].map(({ page }) => page.getByText('Connecting...').first().waitFor()))
    for (const one of [alice, bob]) expect(await heard(one)).toBe(0)
    await goesBack()
  }
})

test('A server rings Bob in the name of a stranger, or of another contact: nobody rings as somebody else, and nothing is connected', async () => {
  proxy.lies(lies.otherCaller(await idOf(eve)))
  await alice.calls('voice')
  await alice.page.getByText('Calling...', { exact: true }).first().waitFor()
  // What Bob hears after it he has heard before.
  await eve.adds(bob)
  await bob.page.locator('.row', { hasText: 'Eve' }).first().waitFor()
  expect(await bob.page.getByRole('alertdialog').count()).toBe(0)
  await alice.hangsUp()
  await goesBack()

  await bob.page.getByRole('button', { name: /^Accept/ }).click()
  await bob.opens(eve)
  await alice.calls('voice')
  await bob.page.getByRole('alertdialog').filter({ hasText: 'Eve' }).waitFor()
  await bob.takesCall()
  await bob.page.getByRole('alertdialog').waitFor({ state: 'detached' })
  // The caller is no device of Eve's.
  await bob.page.locator('.call').waitFor({ state: 'detached' })
  for (const one of [alice, bob]) expect(await heard(one)).toBe(0)
  await goesBack()
  await bob.opens(alice)
})

test('A server keeps back every answer: Alice goes on calling until she ends it, and nothing is connected', async () => {
  proxy.lies(lies.withheldAnswers)
  await alice.calls('voice')
  await bob.isRung('voice')
  await bob.takesCall()
  await bob.page.getByText('Connecting...').first().waitFor()
  await alice.page.getByText('Calling...', { exact: true }).first().waitFor()
  for (const one of [alice, bob]) expect(await heard(one)).toBe(0)
  await alice.hangsUp()
  await bob.page.getByText('Connecting...').first().waitFor({ state: 'detached' })
})

test('A server that changes what a direct transfer agrees on, or names another device of it, connects nothing, and nothing is saved; without the lie the file arrives', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-chosen-'))
  const own = await deviceOf(eve)
  let last = { name: '', bytes: Buffer.alloc(0) }
  // Whoever opens the change first says it. The other one goes on trying.
  for (const [at, [lie, one]] of (
    [
      [lies.otherAccept, alice],
      [lies.otherTransferAnswer, bob],
      [lies.otherTransferDevice('transfer-accept', own), alice],
      [lies.otherTransferDevice('transfer-answer', own), bob],
      [lies.alteredTransferSignals, alice],
    ] as const
  ).entries()) {
    last = { name: `${at}.bin`, bytes: randomBytes(300_000) }
    const { name, bytes } = last
    await writeFile(join(folder, name), bytes)
    await alice.offersDirectly(join(folder, name))
    proxy.lies(lie)
    await bob.takesDirectly(name)
    await one.page.locator('.transfer-line', { hasText: name }).getByText('The two browsers could not connect.').waitFor()
    for (const { page } of [alice, bob]) expect(await page.locator('.transfer-line progress').count()).toBe(0)
    expect(await bob.page.getByRole('button', { name: `Save ${name}` }).count()).toBe(0)
  }
  proxy.tellsTruth()
  await bob.page.reload()
  expect((await bob.savesDirectly(last.name)).equals(last.bytes)).toBe(true)
})
