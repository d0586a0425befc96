import { cp } from 'node:fs/promises'
import { expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { type HeadlessUser, headlessUser } from './crowd.ts'
import { anotherBrowser, customer, givesTier, person, personWithProfile, startChat, test } from './people.ts'
import { visitor } from './person.ts'
import { opensNotices } from './screen.ts'

/** CI runs a short form; the long one is `ROOMS=20 DEEP_ROOM=10000 npm run test:e2e -- e2e/devices.test.ts`. */
const ROOMS = Number(process.env['ROOMS'] ?? 4)
const DEEP = Number(process.env['DEEP_ROOM'] ?? 120)
const LINES = 12

test("Alice's third browser shows the newest messages of every chat, and all three go on in step", async ({ server }) => {
  const alice = await customer(server, 'Alice')
  const names = Array.from({ length: ROOMS }, (_, at) => `friend${String(at).padStart(2, '0')}`)
  const friends = await Promise.all(names.map((name) => headlessUser(server.url, name)))
  const write = async (friend: HeadlessUser, at: number) => {
    await givesTier(server, friend, 'premium')
    await friend.adds(alice.username)
    const lines = at === 0 ? DEEP : LINES
    await friend.says(
      alice.username,
      Array.from({ length: lines }, (_, line) => `${names[at]} says ${line + 1} of ${lines}.`),
    )
  }
  await Promise.all(friends.map(write))
  await alice.reloads()
  for (const name of names) {
    await alice.page
      .locator('.row, li', { hasText: name })
      .getByRole('button', { name: /^Accept/ })
      .first()
      .click()
    await alice.page.locator('a.row', { hasText: `${name} says` }).waitFor()
  }
  const second = await anotherBrowser(server, alice)
  await second.page.locator('a.row', { hasText: `${names.at(-1)} says` }).waitFor()

  const third = await person(server, 'Alice', alice)
  await third.signsIn()
  await third.page.getByRole('button', { name: 'Add this browser' }).waitFor()
  const accepted = Date.now()
  await third.page.getByRole('button', { name: 'Add this browser' }).click()
  for (const name of names) await third.page.locator('a.row', { hasText: `${name} says` }).waitFor()
  process.stdout.write(`${ROOMS} chats on a third browser: ${Date.now() - accepted} ms\n`)
  expect(await third.page.locator('a.row', { hasText: 'cannot be read' }).count()).toBe(0)

  await third.page.locator('a.row', { hasText: 'friend00 says' }).click()
  // The chat opens where its unread messages begin: from there down to the newest, and up to the first.
  await third.page.waitForFunction((last) => {
    const log = document.querySelector('[role=log]')
    log?.scrollTo({ top: log.scrollHeight })
    return log?.textContent?.includes(last)
  }, `friend00 says ${DEEP} of ${DEEP}.`)
  await third.page.waitForFunction((first) => {
    const log = document.querySelector('[role=log]')
    log?.scrollTo({ top: 0 })
    return log?.textContent?.includes(first)
  }, `friend00 says 1 of ${DEEP}.`)
  expect(await third.page.locator('.bub', { hasText: 'not readable' }).count()).toBe(0)

  const [friend] = friends
  await friend?.says(alice.username, ['and one for all three'])
  for (const browser of [alice, second, third])
    await browser.page.locator('a.row', { hasText: 'and one for all three' }).waitFor()
  await third.page.getByRole('button', { name: /^Jump to the newest message/ }).click()
  await third.says('from the third browser')
  for (const browser of [alice, second]) {
    await browser.page.locator('a.row', { hasText: 'from the third browser' }).click()
    await browser.reads('from the third browser')
  }
  for (const browser of [alice, second, third]) await browser.leaves()
}, 600_000)

test('Alice removes a browser that is in use: it is out at once, and neither it nor a copy of its profile opens what follows', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await alice.says('while both are here')
  const second = await personWithProfile(server, 'Alice', { account: alice })
  await second.signsIn()
  await second.page.getByLabel('Name of this browser').fill('Left on the train')
  await second.page.getByRole('button', { name: 'Add this browser' }).click()
  await second.opens(bob)
  await second.says('from the browser on the train')
  await bob.reads('from the browser on the train')
  await opensNotices(alice.page, 'A new browser was added to your account')

  // A thief copies the whole profile with cookie and keys, and the person continues to use the original.
  await second.leaves()
  const stolen = `${second.profile}-stolen`
  await cp(second.profile, stolen, { recursive: true })
  const used = await visitor(server, await openBrowser(second.profile), alice)
  await used.page.goto(server.url)
  await used.opens(bob)

  await alice.page.goto(`${server.url}/settings?tab=devices`)
  await alice.page.getByRole('button', { name: 'Not me: remove Left on the train' }).click()
  const dialog = alice.page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(alice.password)
  const out = used.page.getByText('This browser was removed from your account').waitFor()
  await dialog.getByRole('button', { name: 'Remove it', exact: true }).click()
  // Whoever added it knows the password.
  await alice.page.locator('[name="currentPassword"]:focus').waitFor()
  const removedAt = Date.now()
  await out
  const outAfterMs = Date.now() - removedAt
  process.stdout.write(`A removed browser was out ${outAfterMs} ms after the one that removed it said so\n`)

  await bob.says('after the removal')
  await alice.page.goto(server.url)
  await alice.opens(bob)
  await alice.reads('after the removal')
  await alice.says('only for those who are left')
  await bob.reads('only for those who are left')

  const thief = await visitor(server, await openBrowser(stolen), alice)
  await thief.page.goto(server.url)
  await thief.page.getByRole('tab', { name: 'Sign In' }).waitFor()
  const { chatRoomId } = { chatRoomId: bob.page.url().split('/chat/')[1] }
  for (const path of [
    'devices/unlock',
    'account/keys',
    'book',
    'contacts',
    `rooms/${chatRoomId}/group`,
    `rooms/${chatRoomId}/log`,
  ]) {
    expect(await thief.page.evaluate(async (at) => (await fetch(`/api/${at}`)).status, path), path).toBe(401)
  }
  expect(await thief.page.locator('.bub').count()).toBe(0)
  await thief.leaves()
  await used.leaves()
})
