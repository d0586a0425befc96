import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { chatters, customer, givesTier, person, test } from './people.ts'
import { looksFine, opensNotices } from './screen.ts'

/** The visible titles and main parts of the page: one of each, whatever it shows. */
const landmarks = (page: Page) =>
  page.evaluate(() =>
    ['h1', 'main, [role="main"]'].map(
      (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).length,
    ),
  )

test('A stranger’s first day: a name to hand on, a request, a plan, sixty unread messages, what was said once, and a second browser', async ({
  server,
}) => {
  const arriving = customer(server, 'Bob')
  const alice = await person(server, 'Alice')
  await alice.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { page } = alice
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const message = page.getByLabel('Message', { exact: true })

  // On a phone she takes a name, puts the kit off, and reads what she is called here.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${server.url}/auth`)
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  for (const [label, text] of [
    [/^Username/, alice.username],
    [/^Display name/, 'Alice'],
    [/^Password/, alice.password],
    [/^Repeat password/, alice.password],
  ] as const)
    await page.getByLabel(label).pressSequentially(text)
  await page.getByText('is available').first().waitFor({ state: 'attached' })
  await looksFine(page, 'sign up')
  await button('Create account').click()
  await page.getByRole('heading', { name: 'Your recovery kit' }).waitFor()
  await page.getByText('Step 2 of 2').waitFor()
  await looksFine(page, 'kit')
  await button('Skip for now').click()
  await page.getByText('People find you as').waitFor()
  const name = page.getByText(`@${alice.username}`, { exact: true })
  await name.waitFor()
  for (const step of ['Make your recovery kit', 'Add your first contact', 'Verify someone']) await page.getByText(step).waitFor()
  expect(await landmarks(page)).toEqual([1, 1])
  await looksFine(page, 'welcome on a phone')
  await button('Copy').click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`@${alice.username}`)

  // Bob adds that name, and may write at once.
  const bob = await arriving
  await bob.page.setViewportSize({ width: 360, height: 740 })
  await bob.page.getByRole('button', { name: 'Add someone', exact: true }).click()
  await bob.page.getByLabel('Username or onion address').pressSequentially(alice.username)
  await looksFine(bob.page, 'add someone')
  await bob.page.keyboard.press('Enter')
  await bob.page.getByText('Request sent').first().waitFor()
  await bob.opens(alice)
  await bob.says('We hid the key under the Café bridge')

  // The list takes the place of the card. The request says that a message waits, and shows it once she accepts.
  await page.getByText('1 message waiting').waitFor()
  await name.waitFor({ state: 'hidden' })
  expect(await landmarks(page)).toEqual([1, 1])
  // The whole row leads there, not the name alone.
  await page.locator('.row.req').click({ position: { x: 90, y: 48 } })
  await page.getByRole('heading', { name: `@${bob.username} wants to write to you` }).waitFor()
  await page.getByText('One message waits, sealed.').waitFor()
  await looksFine(page, 'request')
  await button('Accept').click()
  await alice.reads('Café bridge')
  await bob.seesTick('Café bridge', 'Read')
  await page.getByText('Not verified').first().waitFor()
  expect(await landmarks(page)).toEqual([1, 1])
  await looksFine(page, 'chat on a phone')

  // Her plan does not send: that is said before anybody is asked, and with a plan the kept words go out.
  await page.getByText('Free Plan Active').waitFor()
  const asked: string[] = []
  page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
  await message.pressSequentially('found it')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Your text is kept.').waitFor()
  expect(await page.locator('.toast').count()).toBe(0)
  await page.getByRole('dialog').getByText('$1,000').first().waitFor()
  await looksFine(page, 'plans')
  expect(asked.filter((url) => url.endsWith('/api/messages'))).toEqual([])
  await button('Maybe Later').click()
  expect(await message.inputValue()).toBe('found it')
  expect(await alice.shows()).toEqual(['We hid the key under the Café bridge'])
  await givesTier(server, alice, 'premium')
  await page.getByText('Free Plan Active').waitFor({ state: 'detached' })
  await message.press('Enter')
  await bob.reads('found it')
  await alice.seesTick('found it', 'Read')

  // Home shows her name again, and what is done.
  await button('Back to contacts').click()
  await button(/^You:/).click()
  await page.getByRole('menuitem', { name: 'Home' }).click()
  await name.waitFor()
  await page.getByText('First contact added').waitFor()
  expect(await landmarks(page)).toEqual([1, 1])
  await button('Chats').click()

  // At her desk sixty messages have come: she begins at the first, and sees how many are left beside the messages.
  await page.setViewportSize({ width: 1280, height: 800 })
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}.${at === 20 ? ' The stationery shop' : ''}`)
  await chatters(bob, lines)
  const unread = page.getByRole('link', { name: /\d+ unread/ })
  await unread.filter({ hasText: '60 unread' }).waitFor()
  await looksFine(page, 'list')
  await unread.click()
  const divider = page.getByRole('separator', { name: '60 new messages' })
  await divider.waitFor()
  const log = page.getByRole('log')
  const placeOf = async () => {
    const [line, frame] = [await divider.boundingBox(), await log.boundingBox()]
    return ((line?.y ?? 0) - (frame?.y ?? 0)) / (frame?.height ?? 1)
  }
  await expect.poll(placeOf).toBeGreaterThan(0.1)
  await expect.poll(placeOf).toBeLessThan(0.45)
  const left = async () => Number(/(\d+) unread/.exec((await unread.textContent()) ?? '')?.[1])
  await expect.poll(left).toBeLessThan(60)
  const jump = page.getByRole('button', { name: /^Jump to the newest message, \d+ new$/ })
  // What has come into sight is marked in steps: both numbers follow.
  await expect.poll(async () => (await jump.textContent())?.includes(`, ${await left()} new`)).toBe(true)
  expect(await left()).toBeGreaterThan(30)
  // The circle stands beside the column of messages, never on it.
  const [circle, column] = [await jump.boundingBox(), await page.locator('.line').first().boundingBox()]
  expect(circle?.x ?? 0).toBeGreaterThanOrEqual((column?.x ?? 0) + (column?.width ?? 0) - 56)
  await looksFine(page, 'chat')

  // By keys she goes from the messages to one of them, and by a part of a word to another.
  await log.focus()
  await tabTo(page, '[role="group"][aria-label^="Bob, "]')
  const spoken = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  expect(await spoken()).toMatch(/^Bob, \d+:\d\d [AP]M$/)
  // She types on at once, also the first time.
  await page.keyboard.press('Control+f')
  await page.keyboard.type('tioner')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.current .bub mark').allInnerTexts()).toEqual(['tioner'])
  await looksFine(page, 'search in the chat')
  await page.keyboard.press('Escape')
  await expect.poll(spoken).toBe('Message')
  await jump.click()
  await alice.reads('line 60.')
  await unread.waitFor({ state: 'detached' })

  // What was said first is found by its beginnings, and opened where it stands, again after a reload.
  const field = page.getByPlaceholder('Search', { exact: true })
  const result = page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: /Café bridge/ })
  const found = page.locator('.found .bub', { hasText: 'Café bridge' })
  await field.fill('cafe BRI')
  await expect.poll(() => result.locator('mark').allInnerTexts()).toEqual(['Café', 'bri'])
  await looksFine(page, 'search')
  await field.press('ArrowDown')
  await page.keyboard.press('Enter')
  await found.waitFor()
  // The hit itself has the focus: the whole timeline wears no ring.
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.line.found .msg') !== null)).toBe(true)
  // What comes behind it was read long ago, and does not count as new.
  await page.getByRole('button', { name: 'Jump to the newest message', exact: true }).waitFor()
  await page.goto(new URL('/', page.url()).href)
  await field.fill('cafe')
  await result.click()
  await found.waitFor()
  expect(page.url()).not.toContain('cafe')
  await field.fill('nobody said this')
  await page.getByText('No messages found', { exact: true }).first().waitFor()
  await field.press('Escape')
  expect(await field.inputValue()).toBe('')

  // Her second browser shows it all, writes, and is announced to the first.
  const laptop = await person(server, 'Alice', alice)
  await laptop.signsIn()
  await laptop.page.getByRole('heading', { name: 'Add this browser?' }).waitFor()
  await looksFine(laptop.page, 'second browser')
  await laptop.page.getByRole('button', { name: 'Add this browser' }).click()
  await opensNotices(page, 'A new browser was added to your account')
  await page.keyboard.press('Escape')
  await laptop.opens(bob)
  await laptop.reads('line 60.')
  await laptop.says('from the second browser')
  await Promise.all([bob, alice].map((one) => one.page.getByText('from the second browser').last().waitFor()))
  await bob.says('I see both of you')
  await laptop.reads('I see both of you')
  for (const one of [alice, bob, laptop]) {
    expect(one.complaints).toEqual([])
    await one.leaves()
  }
})

test('A whole first day by keyboard alone: the kit is put off, Bob is added, written to, found again, and the day ends', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([person(server, 'Alice'), customer(server, 'Bob')])
  const { page } = alice
  const { keyboard } = page
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent)
  await page.goto(`${server.url}/auth`)
  await page.getByLabel(/^Username/).focus()
  await keyboard.type(alice.username)
  for (const text of [alice.name, alice.password, alice.password]) {
    await tabTo(page, 'input')
    await keyboard.type(text)
  }
  await keyboard.press('Enter')
  await tabTo(page, 'button:text-is("Skip for now")')
  await keyboard.press('Enter')
  await page.getByText('People find you as').waitFor()
  await givesTier(server, alice, 'premium')

  await tabTo(page, 'button:text-is("Add someone")')
  await keyboard.press('Enter')
  await page.getByLabel('Username or onion address').waitFor()
  await keyboard.type(bob.username)
  await keyboard.press('Enter')
  await page.locator('a.row', { hasText: bob.name }).waitFor()
  await page.getByText('Request sent').first().waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // A few letters lead to him, also before the code that finds him is here, and the words go where the focus is then.
  const isAsked = page.waitForRequest('**/assets/Palette-*.js')
  let arrive = (): void => undefined
  const isThere = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await page.route('**/assets/Palette-*.js', async (route) => {
    await isThere
    await route.continue()
  })
  await keyboard.press('Control+k')
  await isAsked
  await keyboard.type('bo')
  await keyboard.press('Enter')
  arrive()
  await page.getByLabel('Message', { exact: true }).waitFor()
  await expect.poll(focused).toBe('Message')
  await keyboard.type('good morning?')
  await keyboard.press('Enter')
  await alice.seesTick('good morning?', 'Sent')

  await bob.page.getByText('1 message waiting').waitFor()
  await bob.page.getByRole('button', { name: /^Ignore/ }).focus()
  await bob.page.keyboard.press('Enter')
  // For a moment the words stand there twice, once for screen readers.
  await bob.page.locator('.toast', { hasText: 'Request ignored' }).waitFor()
  await expect.poll(() => bob.page.evaluate(() => document.activeElement?.matches('input[type="search"]'))).toBe(true)
  await bob.page.getByRole('button', { name: 'Undo' }).press('Enter')
  await bob.page.getByText('1 message waiting').waitFor()
  await bob.accepts(alice)

  await keyboard.press('Escape')
  await page.getByText('People find you as').waitFor()
  await keyboard.press('Alt+ArrowDown')
  await page.getByLabel('Message', { exact: true }).waitFor()
  await keyboard.press('Escape')
  await keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await looksFine(page, 'keys')
  await keyboard.press('Escape')
  await page.locator('a.row').focus()
  await keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Contact details' }).waitFor()
  await looksFine(page, 'menu of a row')
  await keyboard.press('Escape')
  await tabTo(page, '[type="search"]', 'Shift+Tab')
  await keyboard.type('morning')
  await page.getByText('good morning?').last().waitFor()

  await keyboard.press('Control+k')
  await keyboard.type('security')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Security' }).waitFor()
  const places = page.getByRole('navigation', { name: 'Settings' })
  for (const place of ['Notifications', 'Storage', 'About', 'Plan', 'Privacy', 'Devices', 'Security', 'Profile']) {
    const isTab = ['Plan', 'Security', 'Profile'].includes(place)
    await (isTab ? page.getByRole('tab', { name: place }) : places.getByRole('link', { name: place })).click()
    await page.getByRole('heading', { name: place, level: 1 }).waitFor()
    await looksFine(page, `settings: ${place}`)
    // What is read aloud alone must not lengthen the page itself: it would scroll into nothing.
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight), { message: place }).toBe(0)
  }
  await keyboard.press('Escape')
  await page.locator('a.row').waitFor()
  await keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await looksFine(page, 'palette')
  await keyboard.type('logout')
  await keyboard.press('Enter')
  const leaving = page.getByRole('dialog', { name: 'Log out?' })
  await leaving.waitFor()
  await looksFine(page, 'logout')
  await leaving.getByRole('button', { name: 'Logout' }).press('Enter')
  await page.getByRole('heading', { name: /Welcome back|Create your account/ }).waitFor()
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
})

/** Presses Tab until the focus stands on what the selector names. */
async function tabTo(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await page.locator(selector).first().waitFor()
  for (let count = 0; count < 30; count++) {
    await page.keyboard.press(key)
    if (await page.locator(selector).and(page.locator(':focus')).count()) return
  }
  throw new Error(`Tab does not lead to ${selector}`)
}
