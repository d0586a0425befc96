import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { confirms, makesKit, wordsOn } from './kit.ts'
import { person, startChat, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

const focuses = (field: Locator) => expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)

const entersKit = async ({ page }: Person, url: string, username: string, words: string[]) => {
  await page.goto(`${url}/auth`)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  // Each step has the focus in its field.
  await focuses(page.getByLabel('Username'))
  await page.keyboard.type(username)
  await page.getByLabel(/^Words of the kit/).fill(words.join(' '))
  await page.getByRole('button', { name: 'Open my account' }).click()
}

test('Alice forgot her password: the kit opens her account with its history, and old password and old kit are dead', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await alice.says('before the password was forgotten')
  await bob.reads('before the password was forgotten')
  const words = await makesKit(alice)
  expect(words).toHaveLength(24)

  const lost = await person(server, 'Alice', alice)
  await entersKit(lost, server.url, alice.username, words)
  await lost.page.getByRole('button', { name: 'Add this browser' }).click()
  const password = `another ${crypto.randomUUID()}`
  await focuses(lost.page.getByLabel(/^Password/))
  await lost.page.keyboard.type(password)
  await lost.page.getByLabel(/^Repeat password/).fill(password)
  await lost.page.getByRole('button', { name: 'Go on' }).click()
  await lost.page.getByRole('button', { name: 'Make a new kit' }).click()
  const next = await wordsOn(lost)
  expect(next.join()).not.toBe(words.join())
  await confirms(lost, next)
  await lost.opens(bob)
  await lost.reads('before the password was forgotten')
  await lost.says('here I am again')
  await bob.reads('here I am again')

  // The other session has ended. The old password and kit no longer work, the new ones do.
  await alice.page.getByRole('tab', { name: 'Sign In' }).waitFor()
  await alice.signsIn()
  await alice.page.getByText('Invalid username or password').first().waitFor()
  const other = await person(server, 'Alice', { ...alice, password })
  await entersKit(other, server.url, alice.username, words)
  await other.page.getByText('This recovery kit does not open this account').waitFor()
  await looksFine(other.page, 'kit, refused')
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
  await startChat(alice, bob)
  await alice.says('this stays')
  await bob.reads('this stays')
  const other = await person(server, 'Bob', bob)
  await other.signsIn()
  await other.page.getByRole('button', { name: 'Add this browser' }).click()
  await other.opens(alice)
  await other.reads('this stays')

  await bob.page.goto(`${server.url}/settings?tab=security`)
  const password = `new ${crypto.randomUUID()}`
  await bob.page.getByLabel('Current password').fill(bob.password)
  await bob.page.getByLabel(/^New password/).fill(password)
  await bob.page.getByLabel('Repeat new password').fill(password)
  await bob.page.getByRole('button', { name: 'Change password' }).click()
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
