import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { contentOf } from '../client/people/contactcodes/codeContent.ts'
import { toBase64 } from '../contract/ground/bytes.ts'
import { onionAddress } from '../contract/people/onion.ts'
import { type Camera, newCamera } from './camera.ts'
import { refusedCode, swappedKey, swappedScanner } from './lies.ts'
import { customer, customerWithProfile } from './people.ts'
import type { Person } from './person.ts'
import { type LyingProxy, startProxy } from './proxy.ts'
import { behind, looksFine } from './screen.ts'
import { type RunningServer, startServer } from './server.ts'

// All of them share a server that may lie, Alice with her camera, and Bob with his code.
let proxy: LyingProxy
let server: RunningServer
let camera: Camera
let alice: Person
let bob: Person

beforeAll(async () => {
  proxy = await startProxy()
  const real = await startServer({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url })
  proxy.leadsTo(real.url)
  server = { ...real, url: proxy.url }
  camera = await newCamera()
  ;[alice, bob] = await Promise.all([customerWithProfile(server, 'Alice', { words: camera.words }), customer(server, 'Bob')])
})
afterEach(() => proxy.tellsTruth())
afterAll(async () => {
  for (const one of [alice, bob]) {
    expect(one.complaints).toEqual([])
    await one.leaves()
  }
  await server.stop()
  await proxy.stop()
})

const REDEEM = 'POST /api/qr-code/add-contact'
const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name })
const toast = ({ page }: Person, title: string) => page.getByText(title, { exact: true })
const code = ({ page }: Person) => page.getByRole('img', { name: 'Your contact QR code' })
const focused = ({ page }: Person) => page.evaluate(() => document.activeElement?.textContent)
const someKey = () => new Uint8Array(randomBytes(32))
const contactsOf = ({ page }: Person): Promise<unknown[]> => page.evaluate(async () => (await fetch('/api/contacts')).json())
const cookieOf = async ({ context }: Person) =>
  (await context.cookies()).find(({ name }) => name.endsWith('conclave_session'))?.value ?? 'none'

async function token({ page }: Person): Promise<string> {
  return (await page.getByRole('dialog').locator('.code-line .mono').getAttribute('title')) ?? ''
}

async function makesNewCode(one: Person): Promise<void> {
  const before = await token(one)
  await button(one, 'Regenerate QR Code').click()
  await toast(one, 'QR Code Generated').waitFor()
  await expect.poll(() => token(one)).not.toBe(before)
}

async function pastes(one: Person, text: string): Promise<void> {
  await button(one, 'Scan QR').click()
  await one.page.getByRole('tab', { name: 'Paste token' }).click()
  await one.page.getByLabel('QR token').fill(text)
  await button(one, 'Add Contact').click()
}

test('What the camera sees adds nobody wrong: a code of something else, of another server, replaced, expired, used up, and a key that the server swapped', async () => {
  const told = async (title: string, text: string) => {
    await alice.page.locator('.toast', { hasText: title }).filter({ hasText: text }).waitFor()
  }
  /** A refused code is asked about once, and the camera rests until somebody starts it. */
  const refused = async (text: string) => {
    const before = proxy.timesOf(REDEEM).length
    await button(alice, 'Start scan').click()
    await told('Failed to add contact', text)
    expect(proxy.timesOf(REDEEM).length - before).toBe(1)
    await expect.poll(() => focused(alice)).toBe('Start scan')
  }
  await button(bob, 'Invite').click()
  await code(bob).waitFor()

  await camera.looksAtCode('https://example.org')
  await button(alice, 'Scan QR').click()
  await told('Invalid QR Code', 'Unable to read QR code data')
  // After a code of something else it goes on by itself: the right one may come next.
  await button(alice, 'Stop scan').click()
  await camera.looksAtCode(JSON.stringify({ type: 'menu', table: 4 }))
  await button(alice, 'Start scan').click()
  await told('Invalid QR Code', 'This QR code is not a valid contact share code')
  await button(alice, 'Stop scan').click()

  const dora = { id: crypto.randomUUID(), username: 'dora', displayName: 'Dora' }
  const secret = (bytes: number) => randomBytes(bytes).toString('base64url')
  await camera.looksAtCode(contentOf({ user: dora, onionAddress: onionAddress(someKey()) }, secret(16), secret(16)))
  await refused('This is not a valid contact code')

  await camera.looksAt(code(bob))
  await makesNewCode(bob)
  await refused('This QR code was replaced by a newer one. Scan that one')
  await looksFine(alice.page, 'scan, stopped')

  // Nobody waits six minutes here: the server's own refusals, as it words them.
  await camera.looksAt(code(bob))
  proxy.lies(refusedCode('code_expired'))
  await refused('This QR code has expired. Ask for a new one')
  proxy.lies(refusedCode('code_used_up'))
  await refused('This QR code has been used up. Ask for a new one')

  proxy.lies(swappedKey(toBase64(someKey())), await cookieOf(alice))
  await refused(`The code is @${bob.username}’s, and the server answers with somebody else’s key or name. Nobody was added`)
  proxy.tellsTruth()
  expect(await contactsOf(alice)).toEqual([])
  await alice.page.keyboard.press('Escape')
  await button(bob, 'No, it was not').click()
  await makesNewCode(bob)
})

test('Alice scans the code on the screen of Bob, who says that it is her: both are contacts and verified', async () => {
  await bob.page.getByText(/^Expires in [45]:\d\d$/).waitFor()
  const download = bob.page.waitForEvent('download')
  await button(bob, 'Download').click()
  expect((await download).suggestedFilename()).toBe(`${bob.username}-contact-qr.png`)

  // To Bob the server shows another key than the one that scanned, until it tells the truth.
  proxy.lies(swappedScanner(toBase64(someKey())), await cookieOf(bob))
  await camera.looksAt(code(bob))
  await button(alice, 'Scan QR').click()
  await toast(alice, 'Contact added').waitFor()
  await bob.page.getByRole('dialog').getByText(`@${alice.username}: the proof of the scan is wrong`).waitFor()
  expect(await bob.page.getByRole('dialog').getByRole('button', { name: /^Yes/ }).count()).toBe(0)
  proxy.tellsTruth()
  await bob.goesOffline()
  await bob.page.getByText('You are offline').first().waitFor()
  await bob.comesBack()
  // Bob is asked at once, where the code is.
  const asked = bob.page.getByRole('dialog').getByText(`Is ${alice.name} here with you?`)
  await asked.waitFor()
  await bob.page.getByRole('dialog').getByRole('button', { name: /^Yes/ }).click()
  await asked.waitFor({ state: 'detached' })
  await bob.page.keyboard.press('Escape')
  await alice.opens(bob)
  await bob.opens(alice)
  for (const one of [alice, bob])
    await button(one, /Verified$/)
      .first()
      .waitFor()
  await alice.says('so that was you')
  await bob.reads('so that was you')
  for (const [one, other] of [
    [alice, bob],
    [bob, alice],
  ] as const)
    await one.page.getByRole('log').getByText(`You verified ${other.name} by a contact code.`).waitFor()

  // A code that says Bob's name of another account does not take his place.
  const forged = { id: crypto.randomUUID(), username: bob.username, displayName: 'Bob' }
  const secret = randomBytes(16).toString('base64url')
  await camera.looksAtCode(contentOf({ user: forged, onionAddress: onionAddress(someKey()) }, secret, secret))
  await button(alice, 'Scan QR').click()
  await alice.page.getByText(`You know somebody else as @${bob.username}`).waitFor()
  await alice.page.keyboard.press('Escape')
})

test('A code that is replaced, garbage, or missing is refused by name; a pasted token adds and verifies nobody', async () => {
  const carol = await customer(server, 'Carol')
  await button(bob, 'Invite').click()
  await code(bob).waitFor()
  await looksFine(bob.page, 'invite')
  const first = await token(bob)
  await makesNewCode(bob)
  const second = await token(bob)

  // This browser has no camera: the dialog says so and offers the token.
  const { page } = carol
  await button(carol, 'Scan QR').click()
  await toast(carol, 'Camera Error').waitFor()
  await page.getByText('No camera found on this device. Please use manual entry to add contacts.').waitFor()
  await behind(800, page, async () => {
    // On a phone, and typed on while the answer is under way: what was typed stays.
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByLabel('QR token').focus()
    await page.keyboard.type('nonse\nnse', { delay: 15 })
    await page.getByText('This is not a valid contact code').waitFor()
    expect(await page.getByLabel('QR token').inputValue()).toBe('nonsense')
  })
  await looksFine(page, 'scan, refused')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByLabel('QR token').fill(first)
  await button(carol, 'Add Contact').click()
  await page.getByText('This QR code was replaced by a newer one. Scan that one').waitFor()
  await page.keyboard.press('Escape')
  await pastes(carol, second)
  await toast(carol, 'Contact added').waitFor()
  await bob.page.getByRole('dialog').getByText('used the token of your code').waitFor()
  await bob.page.getByRole('dialog').getByRole('button', { name: /^OK/ }).click()
  await bob.page.keyboard.press('Escape')
  await bob.accepts(carol)
  await bob.opens(carol)
  await button(bob, /Not verified$/)
    .first()
    .waitFor()
  expect(carol.complaints).toEqual([])
  await carol.leaves()
})
