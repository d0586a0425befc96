import { expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { joined, personWithProfile, startChat, testAtOwnServer as test } from './people.ts'
import { type Person, visitor } from './person.ts'
import { everyFile, everyRow, finds } from './tables.ts'

/** One word is in everything that is said, named and sent: so one search finds any of it. */
const WORD = `canary${crypto.randomUUID().replaceAll('-', '')}`
const CHAT_PASSWORD = 'a password of the chat'

/** Sends a document whose name and bytes have the word. */
async function sendsDocument({ page }: Person): Promise<void> {
  const name = `${WORD}-plan.pdf`
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Choose files' }).click()
  const buffer = Buffer.from(`%PDF-1.7 ${`the bytes of ${WORD} `.repeat(2000)}`)
  await (await chooser).setFiles([{ name, mimeType: 'application/pdf', buffer }])
  await page.getByLabel('Caption').fill(`${WORD} is the caption`)
  await page.locator('[role="dialog"] button[type="submit"]', { hasText: 'Send' }).click()
  await page.getByText(`${name} has been sent`, { exact: true }).waitFor()
}

async function names({ page }: Person, other: string, alias: string): Promise<void> {
  await page.locator('a.row', { hasText: other }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Change the name' }).click()
  await page.getByRole('dialog').getByLabel('Name', { exact: false }).fill(alias)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.locator('.whom', { hasText: alias }).waitFor()
}

const dialogOf = ({ page }: Person) => page.getByRole('dialog')

/** Sets a chat password: the chat is locked then. */
async function locksChat(alice: Person): Promise<void> {
  await alice.page.locator('a.row').first().click({ button: 'right' })
  await alice.page.getByRole('menuitem', { name: 'Set chat password' }).click()
  await dialogOf(alice)
    .getByLabel(/^Chat password/)
    .fill(CHAT_PASSWORD)
  await dialogOf(alice).getByLabel('Confirm password').fill(CHAT_PASSWORD)
  await dialogOf(alice).getByRole('button', { name: 'Set password' }).click()
  await dialogOf(alice).getByLabel('Password', { exact: true }).fill(alice.password)
  await dialogOf(alice).getByRole('button', { name: 'Confirm', exact: true }).click()
  await alice.page.getByText('Chat is Password Protected').first().waitFor()
}

async function clearsChat(alice: Person): Promise<void> {
  await alice.page.getByRole('button', { name: 'Enter Password' }).first().click()
  await dialogOf(alice)
    .getByLabel(/^Chat password/)
    .fill(CHAT_PASSWORD)
  await alice.page.keyboard.press('Enter')
  await alice.reads('from Alice')
  await alice.page.locator('a.row').first().click({ button: 'right' })
  await alice.page.getByRole('menuitem', { name: 'Clear chat' }).click()
  await alice.page.getByRole('button', { name: 'Clear chat' }).click()
  await alice.page.getByText('Chat Cleared').first().waitFor()
}

/** Switches the lock of the browser on, and locks it. */
async function locksBrowser(alice: Person, url: string): Promise<void> {
  await alice.page.goto(`${url}/settings?tab=security`)
  await alice.page.getByLabel('5 minutes', { exact: true }).click()
  await dialogOf(alice)
    .getByLabel(/^Password of this account/)
    .fill(alice.password)
  await dialogOf(alice).getByRole('button', { name: 'Switch on' }).click()
  await dialogOf(alice).waitFor({ state: 'detached' })
  await alice.page.getByRole('button', { name: 'Lock now' }).click()
  await alice.page.getByRole('heading', { name: 'Locked' }).waitFor()
}

/** Opens the browser's lock first: the lock screen's Logout keeps the keys. */
async function removesKeys({ page, password }: Person): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Unlock', exact: true }).click()
  await page.getByRole('button', { name: 'Lock now' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('logout')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Remove its keys').click()
  await dialog.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
}

/** Where the word stands, with what is around it. */
function around(text: string): string {
  const at = text.indexOf(WORD)
  return at < 0 ? 'in another form' : JSON.stringify(text.slice(Math.max(0, at - 80), at + 80))
}

// Closed, and after a lock of the chat, a clearing, a lock of the browser, and a removal of its keys.
test('After a conversation no word of it and no password lies in the database, the log, or the browsers’ storage', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice')),
    joined(server, await personWithProfile(server, 'Bob')),
  ])
  await startChat(alice, bob)
  await alice.says(`${WORD} from Alice`)
  await bob.reads(`${WORD} from Alice`)
  await bob.says(`${WORD} from Bob`)
  await alice.reads(`${WORD} from Bob`)
  await sendsDocument(alice)
  await names(alice, 'Bob', `Bob ${WORD.slice(0, 40)}`)
  await alice.drafts(`${WORD} half a draft`)
  // The search has put the message into the index on disk.
  await alice.page.getByPlaceholder('Search').fill(`${WORD} from Bob`)
  await alice.page
    .getByRole('region', { name: 'Messages' })
    .getByRole('link', { name: `${WORD} from Bob` })
    .waitFor()

  const places: Record<string, string> = { database: await everyRow(server.dataFolder) }
  await alice.leaves()
  await bob.leaves()
  places['files'] = await everyFile(server.dataFolder)
  places['log'] = server.output()
  places['closed folder of Bob'] = await everyFile(bob.profile)
  places['closed folder of Alice'] = await everyFile(alice.profile)

  // The scan works: it finds a word that is public in each place.
  expect(finds(places['database'] ?? '', bob.username)).toBe(true)
  expect(finds(places['files'] ?? '', bob.username)).toBe(true)
  expect(finds(places['log'] ?? '', 'Conclave is ready')).toBe(true)
  expect(finds(places['closed folder of Alice'] ?? '', alice.username)).toBe(true)
  for (const before of ['', 'a', 'ab'])
    for (const after of ['', 'y', 'yz']) expect(finds(btoa(before + WORD + after), WORD)).toBe(true)

  const again = { ...(await visitor(server, await openBrowser(alice.profile), alice)), profile: alice.profile }
  const look = async (state: string) => {
    places[`folder of Alice with ${state}`] = await everyFile(alice.profile)
  }
  await again.page.goto(server.url)
  await again.page.locator('a.row').first().click()
  await again.reads(`${WORD} from Alice`)
  await locksChat(again)
  await look('a locked chat')
  await clearsChat(again)
  await look('a cleared chat')
  await locksBrowser(again, server.url)
  await look('a locked browser')
  await removesKeys(again)
  await again.leaves()
  await look('removed keys')

  for (const [place, text] of Object.entries(places)) {
    expect(finds(text, WORD) && around(text), `the word lies in the ${place}`).toBe(false)
    for (const password of [alice.password, bob.password, CHAT_PASSWORD])
      expect(finds(text, password), `a password lies in the ${place}`).toBe(false)
  }
  expect([...alice.complaints, ...bob.complaints, ...again.complaints]).toEqual([])
})
