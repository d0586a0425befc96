import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { expect } from 'vitest'
import { anotherBrowser, person, talking as test } from './people.ts'
import { looksFine } from './screen.ts'

test('Alice keeps no history: her next browser begins empty and reads what follows, and the old one still has it all', async ({
  server,
  alice,
  bob,
}) => {
  await alice.says('before the switch')
  await bob.reads('before the switch')
  await alice.page.goto(`${server.url}/settings?tab=devices`)
  await alice.page.getByRole('switch', { name: 'Keep encrypted history for my other browsers' }).click()
  const dialog = alice.page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(alice.password)
  await dialog.getByRole('button', { name: 'Switch off and delete' }).click()
  await dialog.waitFor({ state: 'detached' })
  await alice.page.goto(server.url)
  await alice.opens(bob)
  await alice.says('after the switch')
  await bob.reads('after the switch')

  const chatRoomId = bob.page.url().split('/chat/')[1] ?? ''
  const epoch = () =>
    bob.page.evaluate(async (room) => Number((await (await fetch(`/api/rooms/${room}/group`)).json()).epoch), chatRoomId)
  const before = await epoch()
  const next = await anotherBrowser(server, alice)
  await next.opens(bob)
  await next.page.getByText('Start a secure conversation').waitFor()
  // The new browser joins the room by an external commit, after which it can read.
  await expect.poll(epoch).toBeGreaterThan(before)
  await bob.says('to all browsers of yours')
  await next.reads('to all browsers of yours')
  await next.says('received')
  await bob.reads('received')
  await alice.reads('received')
  expect(await next.page.locator('.bub', { hasText: 'before the switch' }).count()).toBe(0)
  await alice.reads('before the switch')
  await next.leaves()
})

test('Alice exports everything, deletes her account, and Bob keeps a closed chat with nobody’s name', async ({
  server,
  alice,
  bob,
}) => {
  await alice.says('for the archive')
  await bob.says('and the answer')
  await alice.reads('and the answer')
  await alice.page.goto(`${server.url}/settings?tab=storage`)
  const saving = alice.page.waitForEvent('download')
  let reads: () => void = () => undefined
  const isLooked = new Promise<void>((resolve) => {
    reads = resolve
  })
  // The export reads the contacts first: it stands still there until axe has seen its progress.
  await alice.page.route(/\/api\/rooms(\?|$)/, async (route) => {
    await isLooked
    await route.continue()
  })
  await alice.page.getByRole('button', { name: 'Export everything' }).click()
  await alice.page.getByText('Reading your contacts.').waitFor()
  await looksFine(alice.page, 'export')
  reads()
  const saved = await saving
  await alice.page.unrouteAll({ behavior: 'wait' })
  expect(saved.suggestedFilename()).toMatch(new RegExp(`^conclave-${alice.username}-\\d{4}-\\d{2}-\\d{2}\\.zip$`))
  const files = unzipSync(new Uint8Array(await readFile(await saved.path())))
  expect(new TextDecoder().decode(files['fonts.css'])).toContain('data:font/woff2')
  const chat = new TextDecoder().decode(files[`chats/001-${bob.username}.html`])
  expect(chat).toContain('for the archive')
  expect(chat).toContain('and the answer')

  await alice.page.getByRole('tab', { name: 'Profile' }).click()
  await alice.page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = alice.page.getByRole('dialog')
  await looksFine(alice.page, 'delete account')
  await dialog.getByLabel(/^Password/).fill(alice.password)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await alice.page.getByText('Your account was deleted').waitFor()
  expect(await alice.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).not.toContainEqual(
    expect.stringMatching(/^conclave-/),
  )

  await bob.page.locator('.row', { hasText: 'Deleted account' }).first().waitFor()
  await bob.page.getByText('This account was deleted. Nothing can be sent.').waitFor()
  await bob.reads('for the archive')
  await looksFine(bob.page, 'closed chat')
  const laptop = await anotherBrowser(server, bob)
  await laptop.page.locator('a.row', { hasText: 'Deleted account' }).first().click()
  await laptop.reads('for the archive')
  await laptop.leaves()

  const eve = await person(server, 'Eve', { ...alice, username: alice.username.toUpperCase() })
  await eve.page.goto(`${server.url}/auth`)
  await eve.page.getByLabel(/^Username/).fill(alice.username.toUpperCase())
  await eve.page
    .getByText(/is not available/)
    .first()
    .waitFor()
  await eve.leaves()
})
