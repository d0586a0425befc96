import { expect } from 'vitest'
import { conversation, person, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

const wordsOn = ({ page }: Person) => page.getByRole('list', { name: 'Words of the kit' }).locator('.mono').allTextContents()

/** Types the three words that the page asks for. */
async function confirms({ page }: Person, words: string[]): Promise<void> {
  await page.getByRole('button', { name: 'I have written it down' }).click()
  await page.getByRole('heading', { name: 'Type three of the words' }).waitFor()
  for (const label of await page.locator('.kit-check label').allTextContents()) {
    const place = Number(label.replace(/\D/g, ''))
    await page.getByLabel(label.trim(), { exact: true }).fill(words[place - 1] ?? '')
  }
  await page.getByRole('button', { name: 'Check' }).click()
}

async function makesKit(one: Person): Promise<string[]> {
  await one.page.goto(`${new URL(one.page.url()).origin}/settings?tab=security`)
  await one.page.getByRole('button', { name: 'Make a recovery kit' }).click()
  const words = await wordsOn(one)
  await confirms(one, words)
  await one.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(one.password)
  await one.page.getByRole('dialog').getByRole('button', { name: /kit/i }).click()
  await one.page.getByText(/^Made /).waitFor()
  return words
}

const entersKit = async ({ page }: Person, url: string, username: string, words: string[]) => {
  await page.goto(`${url}/auth`)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel(/^Words of the kit/).fill(words.join(' '))
  await page.getByRole('button', { name: 'Open my account' }).click()
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

test('Alice forgot her password: the kit opens her account with its history, and old password and old kit are dead', async ({
  server,
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  await alice.says('before the password was forgotten')
  await bob.reads('before the password was forgotten')
  const words = await makesKit(alice)
  const bobsWords = await makesKit(bob)
  expect(words).toHaveLength(24)

  const lost = await person(server, 'Alice', alice)
  // Half a kit, an unknown word, a wrong order and another person's kit each have their own error text.
  await entersKit(lost, server.url, alice.username, words.slice(0, 12))
  await lost.page.getByText('A recovery kit has 24 words. These are 12').waitFor()
  await looksFine(lost.page, 'kit, refused')
  await entersKit(lost, server.url, alice.username, [...words.slice(0, 23), 'xyzzy'])
  await lost.page.getByText(/xyzzy/).last().waitFor()
  await entersKit(lost, server.url, alice.username, bobsWords)
  await lost.page.getByText('This recovery kit does not open this account').waitFor()
  expect(await lost.page.getByLabel(/^Words of the kit/).inputValue()).toBe(bobsWords.join(' '))

  await entersKit(lost, server.url, alice.username, words)
  await lost.page.getByRole('button', { name: 'Add this browser' }).click()
  const password = `another ${crypto.randomUUID()}`
  await lost.page.getByLabel(/^Password/).fill(password)
  await lost.page.getByLabel(/^Repeat password/).fill(password)
  await lost.page.getByRole('button', { name: 'Go on' }).click()
  await lost.page.getByRole('button', { name: 'Make a new kit' }).click()
  const next = await wordsOn(lost)
  expect(next.join()).not.toBe(words.join())
  await confirms(lost, next)
  await lost.opens(bob)
  await lost.reads('before the password was forgotten')
  await lost.says('here I am again')
  await bob.page.goto(server.url)
  await bob.opens(alice)
  await bob.reads('here I am again')

  // The other session has ended. The old password and kit no longer work, the new ones do.
  await alice.page.getByRole('tab', { name: 'Sign In' }).waitFor()
  await alice.signsIn()
  await alice.page.getByText('Invalid username or password').first().waitFor()
  const other = await person(server, 'Alice', { ...alice, password })
  await entersKit(other, server.url, alice.username, words)
  await other.page.getByText('This recovery kit does not open this account').waitFor()
  await entersKit(other, server.url, alice.username, next)
  await other.page.getByRole('heading', { name: 'Add this browser?' }).waitFor()
  await other.signsIn()
  await other.page.getByRole('button', { name: 'Add this browser' }).click()
  await other.opens(bob)
  await other.reads('here I am again')
  for (const browser of [lost, other]) await browser.leaves()
})

test('Bob changes his password: his other browser is signed out and comes back with the new one, and the history stays', async ({
  server,
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  await alice.says('this stays')
  await bob.reads('this stays')
  const other = await person(server, 'Bob', bob)
  await other.signsIn()
  await other.page.getByRole('button', { name: 'Add this browser' }).click()
  await other.opens(alice)
  await other.reads('this stays')

  await bob.page.goto(`${server.url}/settings?tab=security`)
  const password = `new ${crypto.randomUUID()}`
  const change = async (current: string) => {
    await bob.page.getByLabel('Current password').fill(current)
    await bob.page.getByLabel(/^New password/).fill(password)
    await bob.page.getByLabel(/^(Repeat|Confirm) new password/).fill(password)
    await bob.page.getByRole('button', { name: 'Change password' }).click()
  }
  await change('not the password')
  await bob.page.getByText('Current password is wrong').first().waitFor()
  await change(bob.password)
  // It takes its time, and says at what it is.
  await bob.page.getByRole('status').getByText('2 of 3: making a key from the new one').waitFor()
  await other.page.getByRole('tab', { name: 'Sign In' }).waitFor()
  await other.signsIn()
  await other.page.getByText('Invalid username or password').first().waitFor()
  await other.page.getByLabel(/^Password/).fill(password)
  await other.page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await other.opens(alice)
  await other.reads('this stays')
  await bob.page.goto(server.url)
  await bob.opens(alice)
  await bob.says('and on it goes')
  await other.reads('and on it goes')
  await other.leaves()
})

test('Alice makes a passkey and wants it asked: her password alone opens no new browser, and the passkey does', async ({
  server,
  alice,
}) => {
  const { page } = alice
  const devtools = await alice.context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true } as const
  const options = { ...kind, hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
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
  await page.route('**/api/account/keys', async (route) => {
    const answer = await route.fetch()
    await (route.request().method() === 'PUT' ? told.passed : told.isOpen && read.passed)
    await route.fulfill({ response: answer })
  })
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  const remove = page.getByRole('button', { name: /^Remove the passkey/ })
  await remove.waitFor()
  told.open()
  await page.getByText('The passkey is added').first().waitFor()
  await remove.click()
  await dialog.getByRole('button', { name: 'Remove the passkey' }).waitFor()
  read.open()
  await page.unrouteAll({ behavior: 'wait' })
  await looksFine(page, 'remove a passkey')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('switch', { name: 'New browsers need the kit or a passkey' }).click()
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('Your password alone opens no message.').first().waitFor()

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
  const devtools = await alice.context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true } as const
  const options = { ...kind, hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  const authenticator = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
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
  await page.getByText('Biometric sign-in is on').first().waitFor()
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
