import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { afterAll, test as base, beforeAll, beforeEach, expect } from 'vitest'
import { callBare, startBareServer } from './barecall.ts'
import { type Homes, openHomes } from './homes.ts'
import { whyNone } from './networks.ts'
import type { Person } from './person.ts'
import { hidesAddress, putsCallsAway } from './screen.ts'

const why = whyNone()
if (why)
  process.stderr.write(`skipped: calls across networks, because ${why}; calls.test.ts calls by the relay of this machine alone\n`)
const test = base.skipIf(why)
const figure = (text: string) => process.stderr.write(`measured: ${text}\n`)

/** Both at home behind symmetric routers, so that only the relay connects them. */
let opened: Homes | undefined
let { relay, server, homes, browserIn } = {} as Homes

beforeAll(async () => {
  if (why) return
  opened = await openHomes({ isHidden: true })
  ;({ relay, server, homes, browserIn } = opened)
  const [alice, bob] = people()
  await alice.says('shall we talk?')
  await bob.reads('shall we talk?')
})
// One that fails in a call leaves the next ones alone.
beforeEach(async () => {
  if (!why) await putsCallsAway(people())
})
afterAll(async () => await opened?.close())

const people = (): [Person, Person] => [homes[0].one, homes[1].one]

async function connect(caller: Person, callee: Person, kind: 'voice' | 'video' = 'video'): Promise<void> {
  await caller.calls(kind)
  await callee.isRung(kind)
  await callee.takesCall()
  expect(await caller.talks()).toBe(await callee.talks())
  await Promise.all([caller, callee].map((one) => (kind === 'video' ? one.sees(5) : one.listens())))
}

async function end(one: Person, ...others: Person[]): Promise<void> {
  await one.hangsUp()
  await Promise.all([one, ...others].map((each) => each.hasLeftCall()))
}

/** The candidates that a page was given of the other one's. */
const givenTo = ({ page }: Person) => page.evaluate(() => globalThis.watched?.given ?? [])

test('Behind two such routers nothing connects without the relay, by any way that a bare connection knows', async () => {
  const bare = await startBareServer()
  const pages: Page[] = []
  for (const { place } of homes) {
    await place.reaches(bare.port)
    const { browser } = await browserIn(place)
    const page = browser.pages()[0] as Page
    await page.goto(bare.url)
    pages.push(page)
  }
  const [caller, callee] = pages as [Page, Page]
  const stun = relay.urls.udp.replace(/^turn:(.*)\?.*/, 'stun:$1')
  await callBare(caller, callee, { config: { iceServers: [{ urls: stun }] } })
  await expect
    .poll(() => callee.evaluate(() => globalThis.watched?.peers.at(-1)?.connectionState), { timeout: 60_000 })
    .toBe('failed')
  expect(await caller.evaluate(() => globalThis.watched?.found.some((one) => one.includes('srflx')))).toBe(true)
  for (const page of pages) await page.context().close()
  await bare.close()
})

test('Alice and Bob, both behind symmetric routers, call through the relay by UDP, by TCP and by TLS, whichever is let out, and neither learns an address of the other', async () => {
  const [alice, bob] = people()
  for (const [way, out] of [
    ['udp', 'all'],
    ['tcp', 'tcp'],
    ['tls', '443'],
  ] as const) {
    for (const { place } of homes) place.permits(out)
    const before = await Promise.all([alice, bob].map(givenTo))
    await connect(alice, bob)
    for (const [at, { one }] of homes.entries()) {
      const flow = await one.flows()
      expect([flow.localKind, flow.remoteKind, flow.relayProtocol]).toEqual(['relay', 'relay', way])
      const given = (await givenTo(one)).slice(before[at]?.length)
      expect(given.length).toBeGreaterThan(0)
      for (const candidate of given) {
        expect(candidate).toContain(' typ relay ')
        for (const { place } of homes) expect(candidate).not.toContain(place.address())
      }
      figure(`by ${way}: ${flow.roundTripMs.toFixed(0)} ms there and back, at ${one.name}`)
    }
    await end(alice, bob)
  }
  for (const { place } of homes) place.permits('all')
})

test('Bob shows his address and Alice does not: no candidate of her own network comes to him, and they talk', async () => {
  const [alice, bob] = people()
  await hidesAddress(bob.page, false)
  const [before, hers] = [(await givenTo(bob)).length, (await givenTo(alice)).length]
  await alice.calls('video')
  await bob.isRung('video')
  await bob.takesCall()
  const asked = bob.page.getByRole('dialog', { name: 'Alice’s browser will see your network address.' })
  await asked.getByRole('button', { name: 'Accept', exact: true }).click()
  expect(await alice.talks()).toBe(await bob.talks())
  await Promise.all([alice.sees(5), bob.sees(5)])
  const told = (await givenTo(bob)).slice(before)
  expect(told.length).toBeGreaterThan(0)
  for (const candidate of told) {
    expect(candidate).toContain(' typ relay ')
    expect(candidate).not.toContain(homes[0].place.address())
  }
  expect((await givenTo(alice)).slice(hers).join()).toContain(homes[1].place.address())
  await end(alice, bob)
  await hidesAddress(bob.page, true)
})

test('Of a hundred packets five are lost: both go on seeing and hearing each other', async () => {
  const [alice, bob] = people()
  await connect(alice, bob)
  for (const { place } of homes) place.loses(5)
  for (const one of [alice, bob]) {
    const before = await one.flows()
    const from = Date.now()
    await one.sees(60)
    await one.listens()
    const { framesDecoded } = await one.flows()
    figure(
      `5 % lost: ${(((framesDecoded - before.framesDecoded) / (Date.now() - from)) * 1000).toFixed(1)} pictures a second, at ${one.name}`,
    )
  }
  for (const { place } of homes) place.loses(0)
  await end(bob, alice)
})

test("Bob's address changes in the call: the call goes on by itself", async () => {
  const [alice, bob] = people()
  await connect(alice, bob)
  const { framesDecoded } = await alice.flows()
  const from = Date.now()
  await homes[1].place.moves()
  await expect.poll(async () => (await alice.flows()).framesDecoded - framesDecoded, { timeout: 60_000 }).toBeGreaterThan(100)
  await Promise.all([alice.sees(5), bob.sees(5)])
  figure(`after another address both see again within ${Date.now() - from} ms`)
  expect((await alice.flows()).state).toBe('connected')
  await end(alice, bob)
})

test('The server is killed and started again in the call: media goes on meanwhile, and the call ends as others do', async () => {
  const [alice, bob] = people()
  await connect(alice, bob)
  const words = await alice.talks()
  await server.kill9()
  await Promise.all([alice.sees(60), bob.sees(60)])
  await server.start()
  for (const { page } of [alice, bob]) await page.locator('body:not(:has-text("Reconnecting"))').waitFor()
  await Promise.all([alice.sees(60), bob.sees(60)])
  expect(await alice.talks()).toBe(words)
  await end(alice, bob)
  for (const { page } of [alice, bob]) await page.locator('.call-line').last().getByText('Video call').waitFor()
})

test('Bob loads his page anew in a call, and is back in it', async () => {
  const [alice, bob] = people()
  await connect(alice, bob)
  const from = Date.now()
  await bob.page.reload()
  await bob.talks()
  await Promise.all([alice.sees(5), bob.sees(5)])
  figure(`back in the call ${Date.now() - from} ms after a reload`)
  await end(alice, bob)
})

test("Bob's browser is killed in a call: Alice is told that he left", async () => {
  const [alice, bob] = people()
  await connect(alice, bob)
  const pid = execFileSync('pgrep', ['-o', '-f', `user-data-dir=${homes[1].profile}`], { encoding: 'utf8' }).trim()
  process.kill(Number(pid), 'SIGKILL')
  const from = Date.now()
  await alice.page.getByText('Bob left the call', { exact: true }).waitFor({ timeout: 60_000 })
  figure(`told of a crash after ${Date.now() - from} ms`)
  await alice.page.getByRole('button', { name: 'Back to the chat' }).click()
  await alice.page.locator('.call-line').last().getByText('Video call').waitFor()
})
