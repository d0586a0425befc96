import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openKeyring } from '../client/worker/keys/keyring.ts'
import { signManifest } from '../client/worker/keys/newidentity.ts'
import { stretchPassword } from '../client/worker/keys/password.ts'
import { type Manifest, manifestShape } from '../contract/account/documents.ts'
import { fromBase64 } from '../contract/ground/bytes.ts'
import { onionAddress } from '../contract/people/onion.ts'
import {
  deletesData,
  hiddenDevice,
  longWords,
  madeUp,
  noChatPassword,
  otherKey,
  otherList,
  otherVersion,
  rubbishBook,
  saltOf,
  silence,
  somebodyElse,
  swappedNames,
  timeToWait,
  withoutContact,
} from './lies.ts'
import { anotherBrowser, customer, person, startChat } from './people.ts'
import type { Person } from './person.ts'
import { type LyingProxy, startProxy } from './proxy.ts'
import { looksFine, opensNotices, putsAway } from './screen.ts'
import { type RunningServer, startServer } from './server.ts'

// All of them share one lying server and its people: each test ends with the truth.
let proxy: LyingProxy
let server: RunningServer
let alice: Person
let bob: Person
let eve: Person

beforeAll(async () => {
  proxy = await startProxy()
  const real = await startServer({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url })
  proxy.leadsTo(real.url)
  server = { ...real, url: proxy.url }
  ;[alice, bob, eve] = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob'), customer(server, 'Eve')])
  await startChat(alice, bob)
  await alice.says('hello Bob')
  await bob.reads('hello Bob')
})
afterEach(() => proxy.tellsTruth())
afterAll(async () => {
  for (const one of [alice, bob, eve]) expect(one.complaints).toEqual([])
  await server.stop()
  await proxy.stop()
})

const SEND = 'POST /api/messages'
const field = () => alice.page.getByLabel('Message', { exact: true })
const cookieOf = async (one: Person) =>
  (await one.context.cookies()).find(({ name }) => name.endsWith('conclave_session'))?.value ?? 'none'
interface Forged {
  userId: string
  /** Base64. */
  identityKey: string
  manifest: unknown
}

/** The list of somebody's browsers with another content, as somebody signs it who has stolen their identity key. */
async function forgedList({ page, username, password }: Person, content: (list: Manifest) => Manifest): Promise<Forged> {
  const { userId, salt, keys } = await page.evaluate(async (name) => {
    const ask = async (path: string, init?: RequestInit) => (await fetch(path, init)).json()
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: name }) }
    const [user, salted] = await Promise.all([ask('/api/user'), ask('/api/login/salt', init)])
    return { userId: String(user.id), salt: String(salted.salt), keys: await ask('/api/account/keys') }
  }, username)
  const { passwordSeed } = await stretchPassword(username, password, fromBase64(salt))
  const { secret } = await openKeyring(keys.keyring, { kind: 'password', seed: passwordSeed })
  const list = manifestShape.parse(JSON.parse(keys.manifest.content))
  return { userId, identityKey: list.identityKey, manifest: signManifest(secret.identitySeed, content(list)) }
}
const idOf = async ({ page }: Person): Promise<string> =>
  page.evaluate(async () => String((await (await fetch('/api/user')).json()).id))
const keyOf = async ({ page }: Person): Promise<string> => {
  const { manifest } = await page.evaluate(async () => (await fetch('/api/account/keys')).json())
  return manifestShape.parse(JSON.parse(manifest.content)).identityKey
}
/** A new connection: the page reads everything again. */
async function reconnects(one: Person): Promise<void> {
  await one.goesOffline()
  await one.page.getByText('You are offline').first().waitFor()
  await one.comesBack()
}

test('A salt of no bytes or of three: the password is not sent, and the person is told why', async () => {
  const laptop = await person(server, 'Alice', alice)
  for (const bytes of [0, 3]) {
    proxy.lies(saltOf(bytes))
    await laptop.signsIn()
    await laptop.page.getByText('The server answered in a way that this page does not know').waitFor()
  }
  expect(proxy.timesOf('POST /api/login')).toEqual([])
  await laptop.leaves()
})

test('A server that answers six million characters does not freeze the page: a line of words stands there', async () => {
  proxy.lies(longWords(6_000_000))
  const { page } = alice
  await page.getByRole('button', { name: 'Add by Username/Onion' }).click()
  await page.getByLabel('Username or onion address').fill('somebody')
  await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
  const words = page.getByRole('dialog').getByRole('alert')
  await words.waitFor()
  expect((await words.textContent())?.length).toBeLessThan(400)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('A server that names a senseless time to wait is not asked again and again without a pause', async () => {
  for (const seconds of [0.001, -5]) {
    const before = proxy.timesOf(SEND).length
    proxy.lies(timeToWait(seconds))
    await alice.says(`wait ${seconds} seconds`)
    await expect.poll(() => proxy.timesOf(SEND).length - before).toBeGreaterThan(1)
    const [first = 0, second = 0] = proxy.timesOf(SEND).slice(before)
    expect(second - first).toBeGreaterThan(900)
    proxy.tellsTruth()
    await bob.reads(`wait ${seconds} seconds`)
  }
  const before = proxy.timesOf(SEND).length
  proxy.lies(timeToWait(2_500_000))
  await alice.says('wait a month')
  await alice.page.locator('.msg', { hasText: 'wait a month' }).getByText('Waiting.').waitFor()
  // A timer that is set too far ahead rings at once.
  await bob.drafts('meanwhile')
  expect(proxy.timesOf(SEND).length - before).toBe(1)
  proxy.tellsTruth()
  await alice.reloads()
  await alice.reads('wait a month')
  await bob.reads('wait a month')
})

test('While the server does not answer a message, Alice writes on; both arrive once it does, in their order', async () => {
  proxy.lies(silence)
  await alice.says('the first hangs')
  await expect.poll(() => field().isEditable()).toBe(true)
  await alice.says('the second waits behind it')
  proxy.tellsTruth()
  await bob.reads('the second waits behind it')
  expect((await bob.shows()).slice(-2)).toEqual(['the first hangs', 'the second waits behind it'])
})

test('Words that the server made up carry "Not encrypted" wherever they stand: bubble, list, search, screen reader', async () => {
  proxy.lies(madeUp('Wire the money to Eve'), await cookieOf(alice))
  await bob.says('see you at eight')
  const { page } = alice
  await page.locator('.msg', { hasText: 'Wire the money' }).getByText('Not encrypted', { exact: true }).waitFor()
  await page.locator('a.row', { hasText: 'Not encrypted: Wire the money to Eve' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Not encrypted. Bob: Wire the money to Eve' }).waitFor({ state: 'attached' })
  await page.getByPlaceholder('Search').fill('money')
  await page.locator('.found-messages a', { hasText: 'Not encrypted: Wire the money to Eve' }).waitFor()
  await page.getByPlaceholder('Search').fill('')
})

test('A message of a kind that this page does not know says so in its place, in its row, and once as a toast', async () => {
  proxy.lies(madeUp('{"v":2,"text":"tea?"}'), await cookieOf(alice))
  const { page } = alice
  // It goes by itself after five seconds.
  const isPutAway = putsAway(page, 'Unsupported message type')
  await bob.says('from a newer page')
  await isPutAway
  await page.locator('.bub', { hasText: 'Unsupported message type. Needs a newer version of this page.' }).waitFor()
  await page.locator('a.row', { hasText: 'Unsupported message type' }).waitFor()
  const toast = page.locator('.toast', { hasText: 'Unsupported message type' })
  await page.getByRole('button', { name: 'Home' }).click()
  await alice.opens(bob)
  await page.locator('.bub', { hasText: 'Unsupported message type' }).waitFor()
  expect([await toast.count(), await page.getByText('tea?').count()]).toEqual([0, 0])
})

test("A browser that the server hides from Alice's own list is announced as soon as it comes into a chat", async () => {
  const cookie = await cookieOf(alice)
  const keys = await alice.page.evaluate(async () => (await fetch('/api/account/keys')).json())
  proxy.lies(hiddenDevice(keys), cookie)
  const laptop = await anotherBrowser(server, alice)
  await laptop.opens(bob)
  await laptop.says('from a browser that nobody was told of')
  await opensNotices(alice.page, 'A new browser was added to your account')
  await alice.page.keyboard.press('Escape')
  await laptop.leaves()
})

test("The server hides Bob from Alice's list: she is told that she did not remove him, until he is back", async () => {
  proxy.lies(withoutContact(bob.username), await cookieOf(alice))
  await alice.page.goto(server.url)
  const told = `@${bob.username} is no longer in your list`
  await (await opensNotices(alice.page, told)).getByText('You did not remove this contact').waitFor()
  proxy.tellsTruth()
  await alice.reloads()
  await alice.opens(bob)
  await alice.page.getByText(told).waitFor({ state: 'detached' })
})

test("Carol is shown another list of Alice's browsers with the same number: both are told, and nothing goes out until they decide", async () => {
  const carol = await customer(server, 'Carol')
  // The same number, and other names of her browsers.
  const { userId, manifest } = await forgedList(alice, (list) => ({
    ...list,
    devices: list.devices.map((device) => ({ ...device, sealedName: 'RXZl' })),
  }))
  proxy.lies(otherList(userId, manifest), await cookieOf(carol))
  await carol.adds(alice)
  await alice.page.getByRole('button', { name: /^Accept/ }).click()
  await Promise.all([carol.opens(alice), alice.opens(carol)])
  await alice.says('hello Carol')
  await carol.page.getByText(`Two device lists of @${alice.username} have the same number`).waitFor()
  await alice.page.getByText('Two lists of your own browsers have the same number').waitFor()
  for (const { page } of [alice, carol]) expect(await page.getByLabel('Message', { exact: true }).isDisabled()).toBe(true)
  await carol.reloads()
  const { page } = carol
  await page.getByRole('button', { name: 'Decide' }).click()
  await page.getByRole('alertdialog').waitFor()
  await looksFine(page, 'two device lists')
  await page.getByRole('button', { name: 'Send all the same' }).click()
  await carol.says('is that you?')
  await alice.reads('is that you?')
  await alice.opens(bob)
  await alice.says('I am free to write to you')
  expect(carol.complaints).toEqual([])
  await carol.leaves()
})

test("The server shows Frank's key to one browser of Alice and Eve's to the other: neither sends until she has chosen, once for both", async () => {
  const frank = await customer(server, 'Frank')
  const laptop = await anotherBrowser(server, alice)
  await laptop.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  const { identityKey: falseKey, manifest } = await forgedList(eve, (list) => ({ ...list, username: frank.username }))
  const [realKey, userId] = [await keyOf(frank), await idOf(frank)]
  // While the first browser is away, the other one takes the false key, and cannot say so.
  await alice.goesOffline()
  proxy.lies(otherKey({ userId, realKey, falseKey, manifest }), await cookieOf(laptop))
  await frank.adds(alice)
  await laptop.page.getByRole('button', { name: /^Accept/ }).click()
  // It saves the book after taking the list, and for other reasons before.
  const last = (call: string) => Math.max(...proxy.timesOf(call))
  await expect.poll(() => proxy.timesOf(`GET /api/users/${userId}/manifest`).length).toBeGreaterThan(0)
  await expect.poll(() => last('PUT /api/book') - last(`GET /api/users/${userId}/manifest`)).toBeGreaterThan(0)
  await alice.comesBack()
  await alice.opens(frank)
  await alice.says('hello Frank')
  await frank.opens(alice)
  await frank.reads('hello Frank')
  proxy.tellsTruth()
  await laptop.reloads()
  await laptop.opens(frank)
  for (const { page } of [laptop, alice]) {
    await page.getByText('Two of your browsers know two keys of Frank').waitFor()
    expect(await page.getByLabel('Message', { exact: true }).isDisabled()).toBe(true)
  }
  const { page } = laptop
  await page.getByRole('button', { name: 'Compare and decide' }).click()
  const keys = page.getByRole('dialog').getByRole('radio')
  await keys.nth(1).waitFor()
  expect(await keys.count()).toBe(2)
  expect(await page.getByRole('button', { name: 'This is the one' }).isDisabled()).toBe(true)
  await looksFine(page, 'two keys')
  await page.getByRole('radio', { name: onionAddress(fromBase64(realKey)) }).check()
  await page.getByRole('button', { name: 'This is the one' }).click()
  for (const one of [laptop, alice]) {
    await one.says(`from ${one === laptop ? 'the one' : 'the other'} browser`)
    await frank.reads(`from ${one === laptop ? 'the one' : 'the other'} browser`)
  }
  const complaints = [...laptop.complaints, ...frank.complaints]
  // The liar's own words about the address book.
  expect(complaints.filter((words) => !words.includes('The server is busy'))).toEqual([])
  await laptop.leaves()
  await frank.leaves()
})

test("Another account under Bob's name gets nothing: Alice sees whose name it is, and cannot send", async () => {
  await eve.adds(alice)
  await alice.page.getByRole('button', { name: /^Accept/ }).click()
  await alice.opens(eve)
  await alice.says('hello Eve')
  proxy.lies(swappedNames(bob.username, eve.username), await cookieOf(alice))
  await alice.reloads()
  await alice.page.locator('a.row', { hasText: 'Username changed, sending is stopped' }).waitFor()
  await expect.poll(() => field().isDisabled()).toBe(true)
  proxy.tellsTruth()
  await alice.reloads()
})

test("The server answers with another account's id: the page stops and says so, and Alice's keys and unsent words stay", async () => {
  await alice.opens(bob)
  await alice.drafts('not sent yet')
  proxy.lies(somebodyElse, await cookieOf(alice))
  await reconnects(alice)
  await alice.page.getByText('The server answered for another account than yours').waitFor()
  proxy.tellsTruth()
  await alice.reloads()
  await alice.opens(bob)
  await alice.reads('hello Bob')
  await expect.poll(() => field().inputValue()).toBe('not sent yet')
})

test('A server of another version makes the page load itself once; then the page says so and stays', async () => {
  let loads = 0
  alice.page.on('load', () => {
    loads += 1
  })
  // The chat is there before the socket: a first hello that lies would load the page while it goes offline.
  await alice.page.getByText('Connected').waitFor()
  proxy.lies(otherVersion, await cookieOf(alice))
  await reconnects(alice)
  await alice.page.getByText('Paused: the server has another version').waitFor()
  expect(loads).toBe(1)
  proxy.tellsTruth()
  await alice.page.getByRole('button', { name: 'Reload' }).click()
  await alice.page.getByText('Connected').waitFor()
})

test('The server says that no chat has a password: a chat that Alice has locked stays shut, in the browser that knew it and in the next', async () => {
  const dora = await customer(server, 'Dora')
  await startChat(dora, bob)
  await dora.says('for us two alone')
  await bob.reads('for us two alone')
  const { page } = dora
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Bob', exact: true }).click()
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await dialog.getByLabel(/^Chat password/).fill('our own secret')
  await dialog.getByLabel('Confirm password').fill('our own secret')
  await dialog.getByRole('button', { name: 'Set password' }).click()
  await dialog.getByText('Confirm that it is you').waitFor()
  await looksFine(page, 'confirm before a chat password')
  await dialog.getByLabel('Password', { exact: true }).fill(dora.password)
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('Chat is Password Protected').first().waitFor()
  proxy.lies(noChatPassword)
  await dora.reloads()
  await page.getByText('Chat is Password Protected').first().waitFor()
  const laptop = await person(server, 'Dora', dora)
  await laptop.signsIn()
  await laptop.page.getByRole('button', { name: 'Add this browser' }).click()
  // Without a field for messages, which `opens` waits for. Before the address book has come the chat would have one.
  await laptop.page.locator('a.row', { hasText: 'Locked' }).click()
  await laptop.page.getByText('Another of your browsers locked this chat').first().waitFor()
  await looksFine(laptop.page, 'a chat that another browser locked')
  for (const one of [dora, laptop]) expect(await one.page.locator('body').textContent()).not.toContain('for us two alone')
  proxy.tellsTruth()
  await laptop.reloads()
  await laptop.page.getByText('Chat is Password Protected').first().waitFor()
  await Promise.all([dora, laptop].map((one) => one.leaves()))
  for (const { complaints } of [dora, laptop]) expect(complaints).toEqual([])
})

test("A header of the server deletes what Grace's browser keeps: her page says so at once, and she adds it anew", async () => {
  const grace = await customer(server, 'Grace')
  const { page } = grace
  const id = await idOf(grace)
  proxy.lies(deletesData('GET /api/user'), await cookieOf(grace))
  await page.evaluate(() => fetch('/api/user').then(() => undefined))
  await page.getByText('This browser’s data was deleted by the server or by you').waitFor()
  await looksFine(page, 'deleted data')
  proxy.tellsTruth()
  const kept = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  await expect.poll(kept).toContain(`conclave-${id}`)
  await grace.signsIn()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  // What was under way, and the start without keys.
  expect(grace.complaints.filter((words) => !/was aborted|Force close delete origin|keeps no vault/.test(words))).toEqual([])
  await grace.leaves()
})

test("No address book of Dora's holds: her new browser says so, begins an empty one, and asks for Bob's key before a word goes to him", async () => {
  const dora = await customer(server, 'Dora')
  await startChat(dora, bob)
  await dora.says('before the book was lost')
  await bob.reads('before the book was lost')
  const identityKey = await keyOf(bob)
  proxy.lies(rubbishBook(await dora.page.evaluate(async () => (await (await fetch('/api/user')).json()).deviceId)))
  await dora.leaves()
  const laptop = await person(server, 'Dora', dora)
  const { page } = laptop
  await laptop.signsIn()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await page.getByText('Your address book cannot be read.').waitFor()
  await looksFine(page, 'lost book')
  const sent = proxy.timesOf(SEND).length
  // It is said beside an open chat too, which shows its messages as soon as there is a book.
  await laptop.opens(bob)
  await page.getByText('Messages could not be loaded').waitFor()
  await page.getByRole('button', { name: 'Start an empty one' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(dora.password)
  await dialog.getByRole('button', { name: 'Start an empty one' }).click()
  await page.getByText('Your address book cannot be read.').waitFor({ state: 'detached' })
  await laptop.reads('before the book was lost')
  await page.getByText('You have not confirmed the key of Bob yet').waitFor()
  expect(await page.getByLabel('Message', { exact: true }).isDisabled()).toBe(true)
  await laptop.reloads()
  await page.getByRole('button', { name: 'Compare and confirm' }).click()
  const question = page.getByRole('alertdialog')
  expect(await question.locator('.new-key').textContent()).toBe(onionAddress(fromBase64(identityKey)))
  expect(proxy.timesOf(SEND).length).toBe(sent)
  await question.getByRole('button', { name: 'Confirm this key' }).click()
  await laptop.says('is it still you?')
  await bob.reads('is it still you?')
  await page.getByRole('button', { name: 'Not verified' }).waitFor()
  expect(laptop.complaints.filter((words) => !words.includes('address book'))).toEqual([])
  await laptop.leaves()
})
