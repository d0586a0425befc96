import { expect } from 'vitest'
import { conversation, person, test } from './people.ts'
import type { Person } from './person.ts'

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
  await page.goto(url)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel(/^Words of the kit/).fill(words.join(' '))
  await page.getByRole('button', { name: 'Open my account' }).click()
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
