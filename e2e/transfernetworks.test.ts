import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test as base, beforeAll, expect } from 'vitest'
import { type Homes, openHomes } from './homes.ts'
import { whyNone } from './networks.ts'
import { hidesAddress } from './screen.ts'

const why = whyNone()
if (why)
  process.stderr.write(`skipped: files across networks, because ${why}; transfers.test.ts sends them on this machine alone\n`)
const test = base.skipIf(why)
const figure = (text: string) => process.stderr.write(`measured: ${text}\n`)

const MB = 1e6
/** 99 MB at 5 % loss take a minute. */
const WHOLE_MS = 280_000

let opened: Homes | undefined
let homes: Homes['homes']

beforeAll(async () => {
  if (why) return
  opened = await openHomes()
  homes = opened.homes
})
afterAll(async () => await opened?.close())

let files = 0

/** Alice offers a new file and Bob accepts it. Returns what must be found in Bob's browser. */
async function begins(sizeBytes: number): Promise<{ name: string; bytes: Buffer; from: number }> {
  const [alice, bob] = [homes[0].one, homes[1].one]
  const name = `${files++}.bin`
  const path = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), name)
  const bytes = randomBytes(sizeBytes)
  await writeFile(path, bytes)
  await alice.offersDirectly(path)
  await bob.takesDirectly(name)
  return { name, bytes, from: Date.now() }
}

async function ends({ name, bytes, from }: Awaited<ReturnType<typeof begins>>, how: string): Promise<void> {
  const [alice, bob] = [homes[0].one, homes[1].one]
  await bob.page.getByRole('button', { name: `Save ${name}` }).waitFor({ timeout: WHOLE_MS })
  const seconds = (Date.now() - from) / 1000
  expect((await bob.savesDirectly(name)).equals(bytes)).toBe(true)
  await alice.page.locator('.transfer-line', { hasText: name }).getByText('Sent, whole and unchanged').waitFor()
  figure(
    `${bytes.length / MB} MB ${how}: ${seconds.toFixed(1)} s, ${(bytes.length / MB / seconds).toFixed(1)} MB/s with all that comes before and after`,
  )
}

/** So much of the file has come. */
const hasCome = (name: string, percent: number) =>
  homes[1].one.page.waitForFunction(
    ([file, wanted]) => {
      const bar = document.querySelector<HTMLProgressElement>(`progress[aria-label^="${file}"]`)
      return bar && (100 * bar.value) / bar.max >= wanted
    },
    [name, percent] as const,
    { timeout: WHOLE_MS },
  )

/** Both let the other browser see their address. */
async function goDirectly(): Promise<void> {
  for (const { one } of homes) {
    await hidesAddress(one.page, false)
    await one.allowsAddress()
  }
}

test('Where nothing but TLS to port 443 is let out, a file goes through the relay, and arrives whole', async () => {
  for (const { place } of homes) place.permits('443')
  const file = await begins(8 * MB)
  await hasCome(file.name, 10)
  for (const { one } of homes) {
    const { localKind, remoteKind, relayProtocol } = await one.flows()
    expect([localKind, remoteKind, relayProtocol]).toEqual(['relay', 'relay', 'tls'])
  }
  await ends(file, 'through the relay by TLS')
  for (const { place } of homes) place.permits('all')
})

test('99 MB go directly from network to network, whole, where none, two or five of a hundred packets are lost', async () => {
  await goDirectly()
  for (const percent of [0, 2, 5]) {
    for (const { place } of homes) place.loses(percent)
    const file = await begins(99 * MB)
    await hasCome(file.name, 10)
    expect((await homes[1].one.flows()).localKind).not.toBe('relay')
    await ends(file, `directly at ${percent} % loss each way`)
  }
  for (const { place } of homes) place.loses(0)
})

test('The line is cut twice, the second time with another address behind it: the file goes on with what is there, and arrives whole', async () => {
  await goDirectly()
  const file = await begins(99 * MB)
  await hasCome(file.name, 20)
  for (const { place } of homes) place.loses(100)
  await homes[1].one.page
    .locator('.transfer-line', { hasText: file.name })
    .getByText('Connecting to Alice’s browser')
    .waitFor({ timeout: 60_000 })
  for (const { place } of homes) place.loses(0)
  await hasCome(file.name, 60)
  await homes[1].place.moves()
  await ends(file, 'with two cuts')
})
