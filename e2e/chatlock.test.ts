import { expect } from 'vitest'
import { keepsCopy } from './copy.ts'
import { dumpOf, placesOf } from './dump.ts'
import { anotherBrowser, customer, startChat, test } from './people.ts'
import { behind, looksFine } from './screen.ts'

test('A chat with a password is shut in all of Alice’s browsers: no word of it lies anywhere, and what came meanwhile is read after unlocking', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob')])
  await startChat(alice, bob)
  await bob.says('Before the lock')
  await alice.reads('Before the lock')
  const laptop = await anotherBrowser(server, alice)
  await laptop.opens(bob)
  await laptop.reads('Before the lock')

  const { page } = alice
  const dialog = page.getByRole('dialog')
  const message = page.getByLabel('Message', { exact: true })
  const panel = page.getByRole('region', { name: 'Chat password' })
  /** Types into a field as a person does. */
  const types = (label: string | RegExp, text: string) => dialog.getByLabel(label).pressSequentially(text)
  // So that it keeps a copy of the app, which is looked through as well.
  const room = page.url()
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByRole('switch', { name: 'Open without a connection' }).click()
  await types('Password of this account', alice.password)
  await page.keyboard.press('Enter')
  await page.getByRole('switch', { name: 'Open without a connection', checked: true }).waitFor()
  await keepsCopy(page)
  await page.goto(room)
  await alice.reads('Before the lock')
  // The scan works: it finds a word that whoever has the open vault may read.
  expect(placesOf(await dumpOf(alice, server), 'Before the lock')).toEqual(['vault', 'envelopes'])

  await page.getByRole('button', { name: 'Bob', exact: true }).click()
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await types(/^Chat password/, 'short')
  await dialog.getByRole('button', { name: 'Set password' }).click()
  await dialog.getByText('Chat password must be at least 6 characters').waitFor()
  await dialog.getByLabel(/^Chat password/).clear()
  await types(/^Chat password/, 'our own secret')
  await types('Confirm password', 'our own ')
  // The window becomes narrow, and wide again: nothing that was typed is lost, and typing goes on.
  for (const width of [700, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.keyboard.type(width === 700 ? 'sec' : 'ret')
  }
  await looksFine(page, 'set a chat password')
  await dialog.getByRole('button', { name: 'Set password' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(alice.password)
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('Chat password set').first().waitFor()
  for (const one of [alice, laptop]) {
    await one.page.getByText('Chat is Password Protected').first().waitFor()
    expect(await one.page.locator('body').textContent()).not.toContain('Before the lock')
    expect(await one.page.getByLabel('Message', { exact: true }).count()).toBe(0)
  }
  await looksFine(page, 'locked chat')
  // The rows follow in the background.
  for (const one of [alice, laptop])
    await expect.poll(async () => placesOf(await dumpOf(one, server), 'Before the lock')).toEqual([])

  await bob.says('While it was locked')
  await page.getByText('1 message waits on the server, sealed').waitFor()
  await page.locator('a.row', { hasText: 'Locked' }).waitFor()

  // A page that is made to believe that any password is right reads nothing, and is given nothing.
  await page.route(/verify-password/, (route) =>
    route.fulfill({ json: { valid: true, lockSecret: Buffer.alloc(32, 7).toString('base64'), triesLeft: 0, waitSeconds: 0 } }),
  )
  await page.getByRole('button', { name: 'Enter Password' }).first().click()
  await types(/^Chat password/, 'not our secret')
  await page.keyboard.press('Enter')
  await page.getByText('it does not open the chat').first().waitFor()
  expect(await page.locator('.bub').count()).toBe(0)
  expect(await page.locator('body').textContent()).not.toMatch(/Before the lock|While it was locked/)
  const log = await page.evaluate(async (id) => (await fetch(`/api/rooms/${id}/log?after=0`)).json(), room.split('/chat/')[1])
  expect(log).toMatchObject({ code: 'chat_locked' })
  await page.unroute(/verify-password/)

  await page.keyboard.press('Enter')
  await dialog.getByText('Invalid password. 4 tries left before a pause.').waitFor()
  // What came meanwhile takes its time: the question goes as soon as the chat is open, and what is typed then is kept.
  let hasTyped: () => void = () => undefined
  const typed = new Promise<void>((resolve) => {
    hasTyped = resolve
  })
  await page.route(/archive-pages/, async (route) => {
    await typed
    await route.continue()
  })
  await dialog.getByLabel(/^Chat password/).clear()
  await types(/^Chat password/, 'our own secret')
  await page.keyboard.press('Enter')
  await alice.reads('Before the lock')
  await dialog.waitFor({ state: 'detached' })
  await message.pressSequentially('Read and ')
  hasTyped()
  await alice.reads('While it was locked')
  await message.pressSequentially('answered')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await alice.reads('Read and answered')
  await page.unrouteAll({ behavior: 'wait' })
  await bob.reads('Read and answered')
  // The other browser stays shut.
  expect(await laptop.page.locator('body').textContent()).not.toContain('Read and answered')

  await page.getByRole('button', { name: 'Bob', exact: true }).click()
  await panel.getByRole('button', { name: 'Change' }).click()
  await types('Current chat password', 'our own secret')
  await types(/^New chat password/, 'another secret')
  await types('Confirm password', 'another secret')
  await dialog.getByRole('button', { name: 'Change' }).click()
  await dialog.getByText('Change the chat password').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Close contact details' }).click()

  await message.pressSequentially('half a sent')
  await page.locator('a.row', { hasText: 'Bob' }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Lock now' }).click()
  await page.getByText('Chat is Password Protected').first().waitFor()
  const second = await dumpOf(alice, server)
  for (const word of ['Before the lock', 'While it was locked', 'Read and answered', 'half a sent'])
    expect(placesOf(second, word), word).toEqual([])
  await behind(800, page, async () => {
    await page.getByRole('button', { name: 'Enter Password' }).first().click()
    await types(/^Chat password/, 'another secret')
    await page.keyboard.press('Enter')
    await expect.poll(() => message.inputValue()).toBe('half a sent')
  })
  await page.keyboard.type('ence')
  expect(await message.inputValue()).toBe('half a sentence')

  await page.getByRole('button', { name: 'Bob', exact: true }).click()
  await panel.getByRole('button', { name: 'Remove' }).click()
  await types(/^Chat password/, 'another secret')
  await dialog.getByRole('button', { name: 'Remove password' }).click()
  await page.getByText('Chat password removed').first().waitFor()
  // Who came from the contact panel stands in it again.
  await expect.poll(() => panel.getByRole('button', { name: 'Set' }).evaluate((set) => set === document.activeElement)).toBe(true)
  await alice.reads('Before the lock')
  await laptop.reads('Read and answered')
  await laptop.reads('Before the lock')

  // The server has the password, and the page dies before it knows.
  await page.route('**/set-password', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await panel.getByRole('button', { name: 'Set' }).click()
  await types(/^Chat password/, 'soon forgotten')
  await types('Confirm password', 'soon forgotten')
  await page.keyboard.press('Enter')
  await page.getByText('The server cannot be reached').first().waitFor()
  await page.unroute('**/set-password')
  await page.reload()
  await page.getByText('Setting was interrupted').first().waitFor()
  await looksFine(page, 'interrupted')
  await behind(800, page, async () => {
    await page.getByRole('button', { name: 'Set again' }).first().click()
    await looksFine(page, 'set again')
    await types(/^Chat password/, 'soon forgotten')
    await page.keyboard.press('Enter')
    await page.getByText('Chat is Password Protected').first().waitFor()
  })
  await page.getByRole('button', { name: 'Forgotten?' }).click()
  await dialog.getByLabel('Password', { exact: true }).pressSequentially(alice.password)
  await dialog.getByRole('button', { name: 'Give up history' }).click()
  await dialog.waitFor({ state: 'detached' })
  await alice.says('From here on')
  await bob.reads('From here on')
  await laptop.reads('From here on')
  expect(await alice.shows()).toEqual(['From here on'])
  expect(await laptop.shows()).toEqual(['From here on'])
  await Promise.all([alice, bob, laptop].map((one) => one.leaves()))
  for (const { complaints } of [alice, bob, laptop]) expect(complaints).toEqual([])
})
