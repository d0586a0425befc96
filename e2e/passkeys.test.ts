import { expect } from 'vitest'
import { makesKit } from './kit.ts'
import { person, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine, opensNotices } from './screen.ts'

/** Gives the person's browser an authenticator of its own, with PRF. */
async function withAuthenticator({ context, page }: Person) {
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true } as const
  const options = { ...kind, hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  const authenticator = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  return { devtools, authenticator }
}

/** Something that waits until a test lets it pass. */
function gate() {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  const made = { isOpen: false, passed, open: () => Object.assign(made, { isOpen: true }) && open() }
  return made
}

test('Alice makes a passkey and wants it asked: her password alone opens no new browser, and the passkey does', async ({
  server,
  alice,
}) => {
  const { page } = alice
  const { devtools } = await withAuthenticator(alice)
  const dialog = page.getByRole('dialog')
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Password', { exact: true }).waitFor()
  await looksFine(page, 'add a passkey')
  await dialog.getByLabel('Password', { exact: true }).fill(alice.password)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('Your keys are open.').waitFor()
  await looksFine(page, 'make the passkey')
  // The server tells all pages of the account of the passkey before its answer comes to this one. What this one then reads is late too.
  const [told, read] = [gate(), gate()]
  for (const path of ['account/keys', 'passkeys'])
    await page.route(`**/api/${path}`, async (route) => {
      const answer = await route.fetch()
      await (route.request().method() === 'POST' ? told.passed : told.isOpen && read.passed)
      await route.fulfill({ response: answer })
    })
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  const remove = page.getByRole('button', { name: /^Remove the passkey/ })
  await remove.waitFor()
  expect(await page.getByRole('button', { name: /^Name the passkey/ }).isDisabled()).toBe(true)
  told.open()
  await page.getByText('The passkey is added').first().waitFor()
  await remove.click()
  await dialog.getByRole('button', { name: 'Remove the passkey' }).waitFor()
  read.open()
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('switch', { name: 'New browsers need the kit or a passkey' }).click()
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('switch', { name: 'New browsers need the kit or a passkey', checked: true }).waitFor()

  // Another browser, which has the passkey at hand as a phone that was restored has it.
  await page.goto('about:blank')
  await devtools.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'all' })
  await alice.signsIn()
  await page.getByRole('heading', { name: 'Open your keys' }).waitFor()
  await looksFine(page, 'open your keys')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
})

test('Alice’s password waits for her passkey, which alone opens a new browser; another authenticator opens nothing', async ({
  server,
  alice,
}) => {
  const { page } = alice
  const { devtools, authenticator } = await withAuthenticator(alice)
  const messenger = page.getByRole('button', { name: 'Add by Username/Onion' })
  const asNewBrowser = async () => {
    await page.goto('about:blank')
    await devtools.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'all' })
  }
  await makesKit(alice)
  await page.getByRole('switch', { name: 'Biometric sign-in' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).fill(alice.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
  await page.getByLabel('Name of the passkey').fill('Desk')
  await looksFine(page, 'make the passkey of the sign-in')
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  await page.getByRole('switch', { name: 'Biometric sign-in', checked: true }).waitFor()
  await page.getByText('Signs you in, and opens your keys', { exact: true }).waitFor()
  await looksFine(page, 'passkeys')

  // The password alone waits. An emptied name begins anew.
  await asNewBrowser()
  await alice.signsIn()
  await page.getByText('Biometric Authentication Required').waitFor()
  expect(await page.getByRole('button', { name: 'Sign In', exact: true }).isDisabled()).toBe(true)
  await looksFine(page, 'the step of the passkey')
  await page.getByLabel(/^Username/).fill('')
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByText('Username required').waitFor()
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await messenger.waitFor()

  // The passkey alone, at a browser that knows nothing.
  await asNewBrowser()
  await page.goto(`${server.url}/auth`)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await looksFine(page, 'sign in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await messenger.waitFor()

  // An authenticator without the passkey has nothing to offer.
  await asNewBrowser()
  await devtools.send('WebAuthn.clearCredentials', authenticator)
  await alice.signsIn()
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByText('The passkey was not used').waitFor()
  expect(await page.getByRole('button', { name: 'Sign In', exact: true }).isDisabled()).toBe(true)
})

test('A copy of Alice’s passkey is refused and told to her, a signature that was used opens nothing, and a removed passkey neither', async ({
  server,
  alice,
}) => {
  const { page } = alice
  const dialog = page.getByRole('dialog')
  const hers = await withAuthenticator(alice)
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(alice.password)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await page.getByLabel('Name of the passkey').fill('Phone')
  await page.getByRole('button', { name: 'Make the passkey' }).click()

  await page.getByRole('button', { name: 'Remove the passkey Phone' }).waitFor()

  // Another browser has a copy of it, which has counted further than the server knows: nothing tells the two apart yet.
  const other = await person(server, 'Alice', alice)
  const theirs = await withAuthenticator(other)
  const { credentials } = await hers.devtools.send('WebAuthn.getCredentials', hers.authenticator)
  const [made] = credentials
  if (!made) throw new Error('There is no passkey')
  const copies = async (signCount: number) => {
    await theirs.devtools.send('WebAuthn.clearCredentials', theirs.authenticator)
    await theirs.devtools.send('WebAuthn.addCredential', { ...theirs.authenticator, credential: { ...made, signCount } })
  }
  const signsIn = async () => {
    await other.page.goto(`${server.url}/auth`)
    await other.page.getByRole('tab', { name: 'Sign In' }).click()
    await other.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  }
  const refused = (words: string) => other.page.getByText(words).first().waitFor()
  await copies(made.signCount + 10)
  const sent = other.page.waitForRequest('**/api/login/passkey')
  await signsIn()
  const used = (await sent).postData() ?? ''
  await other.page
    .getByText('Phone')
    .or(other.page.getByRole('heading', { name: /keys|browser/i }))
    .first()
    .waitFor()
  await other.context.clearCookies()

  // What it signed then is sent once more in place of what it signs now.
  await other.page.route('**/api/login/passkey', (route) => route.continue({ postData: used }))
  await signsIn()
  await refused('This passkey does not sign in here')
  await other.page.unroute('**/api/login/passkey')

  // A copy that has counted less than the passkey.
  await copies(made.signCount)
  await signsIn()
  await refused('This passkey was refused: it looks like a copy')
  await looksFine(other.page, 'a copied passkey')
  await opensNotices(page, 'Somebody may have a copy of your passkey')
  await looksFine(page, 'told of a copied passkey')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Remove the passkey Phone' }).click()
  await dialog.getByRole('textbox', { name: 'Password' }).fill(alice.password)
  await looksFine(page, 'remove a passkey')
  await dialog.getByRole('button', { name: 'Remove the passkey' }).click()
  await dialog.waitFor({ state: 'detached' })
  await copies(made.signCount + 100)
  await signsIn()
  await refused('This passkey does not sign in here')
  await other.leaves()
})
