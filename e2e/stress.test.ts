import { cp, rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { customerWithProfile, person, startChat, talkingAtOwnServer as test } from './people.ts'
import { visitor } from './person.ts'
import { looksFine, opensNotices } from './screen.ts'

const composer = 'textarea[aria-label="Message"]'

test('Alice closes the tab while her message is on its way: it arrives, once', async ({ server, alice, bob }) => {
  await alice.says('hello')
  await bob.reads('hello')
  const place = alice.page.url()
  const tab = await alice.context.newPage()
  await alice.page.goto('about:blank')
  await tab.goto(place)
  await tab.route('**/api/messages', (route) => route.abort())
  const isOnItsWay = tab.waitForRequest('**/api/messages')
  await tab.getByLabel('Message', { exact: true }).fill('almost lost')
  await tab.keyboard.press('Enter')
  await tab.locator('.bub', { hasText: 'almost lost' }).waitFor()
  // Its bubble stands a moment before it is kept.
  await isOnItsWay
  await tab.close()
  await alice.page.goto(place)
  await bob.reads('almost lost')
  await alice.reads('almost lost')
  expect(await bob.page.locator('.bub', { hasText: 'almost lost' }).count()).toBe(1)
  expect(server.output()).not.toContain('almost lost')
})

/** Types like hands, which `fill` does not, and leaves the page in the moment of `leaving`, behind all that the page does there. */
async function leavesAt(page: Page, leaving: 'input' | 'submit', text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).click()
  await page.keyboard.type(text.slice(0, -1))
  const loaded = page.waitForEvent('load')
  await page.evaluate((event) => document.addEventListener(event, () => location.reload(), { once: true }), leaving)
  await page.keyboard.type(text.slice(-1))
  if (leaving === 'submit') await page.keyboard.press('Enter')
  await loaded
  await page.getByLabel('Message', { exact: true }).waitFor()
}

test('Alice leaves the page in the very moment of Enter: the message is there, once, and its words are not in the composer again', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  for (const text of ['gone in no time', 'and once more', 'and a third time']) {
    await leavesAt(page, 'submit', text)
    await alice.reads(text)
    await bob.reads(text)
    expect(await bob.page.locator('.bub', { hasText: text }).count()).toBe(1)
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('')
  }
})

test('Alice leaves the page in the middle of a word: all of it is in the composer when she is back', async ({ alice }) => {
  const text = 'half a sentence, to the last lett'
  await leavesAt(alice.page, 'input', text)
  await expect.poll(() => alice.page.getByLabel('Message', { exact: true }).inputValue()).toBe(text)
  await alice.page.getByLabel('Message', { exact: true }).fill('')
})

test("Alice's browser storage is wiped: she signs in again, and the chat is there", async ({ server, alice, bob }) => {
  await alice.says('before the wipe')
  await bob.says('noted')
  await alice.reads('noted')
  const place = alice.page.url()
  const devtools = await alice.context.newCDPSession(alice.page)
  // A page that is open would log that its vault went away under it.
  await alice.page.goto('about:blank')
  await devtools.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'indexeddb,local_storage' })
  await alice.page.goto(place)
  await alice.page.getByText('keys are gone').waitFor()
  await bob.says('written while Alice had no browser')
  await alice.signsIn()
  await alice.page.getByRole('button', { name: 'Add this browser' }).click()
  await alice.opens(bob)
  await alice.reads('noted')
  await alice.reads('written while Alice had no browser')
  await bob.says('and this came while you were away')
  await alice.reads('and this came while you were away')
  await alice.says('I am whole again')
  await bob.reads('I am whole again')
  // The start and the sign-in log that the keys are gone. The page logs no other error.
  const logged = alice.complaints.splice(0)
  expect(logged.length).toBeGreaterThan(0)
  for (const complaint of logged) expect(complaint).toContain('keeps no vault')
})

test('An old page meets a newer server: it loads the new page, and what was typed is still there', async ({ alice }) => {
  await alice.drafts('unfinished')
  let isNewer = false
  await alice.page.routeWebSocket('**/ws', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((frame) => {
      socket.send(isNewer ? String(frame).replace(/"contractVersion":\d+/, '"contractVersion":999') : frame)
      isNewer = false
    })
  })
  isNewer = true
  let loads = 0
  alice.page.on('load', () => {
    loads += 1
  })
  await alice.page.reload()
  await expect.poll(() => loads).toBe(2)
  await alice.page.waitForFunction(
    (query) => document.querySelector<HTMLTextAreaElement>(query)?.value === 'unfinished',
    composer,
  )
})

test('A private window works like any other; once it is closed, the account is there and the browser is not', async ({
  server,
  alice,
  bob,
}) => {
  await alice.says('from the usual window')
  await bob.reads('from the usual window')
  // A context without a profile is what a browser calls a private window.
  const first = await person(server, 'Alice', alice)
  await first.signsIn()
  await first.page.getByRole('button', { name: 'Add this browser' }).click()
  await first.opens(bob)
  await first.reads('from the usual window')
  await first.says('from a private window')
  await bob.reads('from a private window')
  await first.leaves()
  const second = await person(server, 'Alice', alice)
  await second.signsIn()
  await second.page.getByRole('button', { name: 'Add this browser' }).click()
  await second.opens(bob)
  await second.reads('from a private window')
  await second.leaves()
})

test('The disk is full: the words stay in the composer with the reason, and go out when there is room', async ({
  alice,
  bob,
}) => {
  await alice.says('there is room')
  await bob.reads('there is room')
  const [vault] = alice.page.workers()
  await vault?.evaluate(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    Object.assign(globalThis, { makeRoom: () => Object.assign(IDBObjectStore.prototype, { put }) })
  })
  await alice.page.locator(composer).fill('there is none')
  await alice.page.keyboard.press('Enter')
  await alice.page.getByRole('alert').first().waitFor()
  await alice.page.waitForFunction(
    (query) => document.querySelector<HTMLTextAreaElement>(query)?.value === 'there is none',
    composer,
  )
  await vault?.evaluate(() => (globalThis as unknown as { makeRoom: () => void }).makeRoom())
  await alice.page.getByRole('button', { name: 'Send', exact: true }).click()
  await bob.reads('there is none')
})

test("Bob's computer is restored from a backup: it says so, and he reads on and writes in the same chat", async ({
  server,
  alice,
}) => {
  // The Bob of the other tests has no profile on disk.
  const bob = await customerWithProfile(server, 'Robert')
  await startChat(alice, bob)
  await bob.says('before the backup')
  await alice.reads('before the backup')
  await bob.leaves()
  const backup = `${bob.profile}-backup`
  await cp(bob.profile, backup, { recursive: true })

  const at = async (profile = bob.profile) => {
    const window = await visitor(server, await openBrowser(profile), bob)
    await window.page.goto(server.url)
    await window.opens(alice)
    return window
  }
  const today = await at()
  await today.says('after the backup')
  await alice.reads('after the backup')
  await alice.says('noted')
  await today.reads('noted')
  await today.leaves()

  await rm(bob.profile, { recursive: true })
  await cp(backup, bob.profile, { recursive: true })
  const restored = await at()
  await restored.reads('after the backup')
  await restored.reads('noted')
  const told = await opensNotices(restored.page, 'This browser’s data was copied or restored')
  await looksFine(restored.page, 'restored from a backup')
  await restored.page.getByRole('button', { name: 'I restored it' }).click()
  await told.getByText('This browser’s data was copied or restored').waitFor({ state: 'detached' })
  await restored.page.keyboard.press('Escape')
  await restored.says('from the restored computer')
  await alice.reads('from the restored computer')
  await alice.says('heard')
  await restored.reads('heard')
  await restored.leaves()

  // Two copies of one browser take turns in the chat: each comes in again, and no message fails.
  const copy = `${bob.profile}-copy`
  await cp(bob.profile, copy, { recursive: true })
  const both = [await at(), await at(copy)] as const
  await Promise.all([both[0].says('from the computer'), both[1].says('from its copy')])
  for (const text of ['from the computer', 'from its copy']) await alice.reads(text)
  for (const { page } of both) expect(await page.getByText(/Not sent(?! yet)/).count()).toBe(0)
  await Promise.all(both.map((window) => window.leaves()))
})

test("Alice's clock is an hour slow: the times on her screen are right all the same", async ({ alice, bob }) => {
  await alice.context.addInitScript(() => {
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given: [] | [number]) {
        super(given.length > 0 ? (given[0] ?? 0) : Real.now() - 3_600_000)
      }
      static override now() {
        return Real.now() - 3_600_000
      }
    } as DateConstructor
  })
  await alice.page.reload()
  await alice.opens(bob)
  await bob.says('what time is it?')
  await alice.reads('what time is it?')
  // The row's menu button stands in the place of its time while the focus is there.
  await alice.page.locator('.row', { hasText: 'what time is it?' }).getByText(/now$/).waitFor({ state: 'attached' })
  await alice.says('now')
  await bob.reads('now')
  for (const { page } of [bob, alice]) await page.getByRole('button', { name: 'Today', exact: true }).waitFor()
})
