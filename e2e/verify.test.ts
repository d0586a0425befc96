import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { customer, joined, person, personWithProfile, test } from './people.ts'
import type { Person } from './person.ts'

const opensSafety = (one: Person) => one.page.getByRole('button', { name: /^(Not verified|Verified)$/ }).click()
const mark = (one: Person) => one.page.getByRole('button', { name: /^(Not verified|Verified)$/ }).textContent()
const scans = (one: Person, other: Person) => one.page.getByRole('button', { name: `Scan ${other.name}’s code` }).click()
const code = (one: Person) => one.page.getByRole('img', { name: 'The safety number as a QR code' })
const digits = async (one: Person) =>
  (
    await one.page
      .getByRole('list', { name: /^Safety number/ })
      .locator('[aria-hidden]')
      .allTextContents()
  ).join(' ')

test("Alice scans Bob's code and sees him verified in every browser of hers; Bob reads the digits and marks her himself", async ({
  server,
}) => {
  const camera = await newCamera()
  const [alice, bob] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice', { words: camera.words })),
    customer(server, 'Bob'),
  ])
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)
  await bob.says('shall we compare?')
  await alice.reads('shall we compare?')
  expect([await mark(alice), await mark(bob)]).toEqual(['Not verified', 'Not verified'])

  await bob.page.getByRole('button', { name: 'Encrypted', exact: true }).click()
  await opensSafety(alice)
  await code(alice).waitFor()
  expect(await digits(alice)).toMatch(/^(\d{5} ){11}\d{5}$/)
  expect(await digits(bob)).toBe(await digits(alice))

  await camera.looksAt(code(bob))
  await scans(alice, bob)
  await alice.page.getByText('The numbers are the same.').waitFor()
  await alice.page.getByRole('button', { name: 'Done' }).click()
  await alice.page.getByRole('button', { name: 'Encrypted · Verified' }).waitFor()
  await alice.page.locator('a.row', { hasText: bob.name }).getByText('Verified', { exact: true }).waitFor({ state: 'attached' })
  expect(await mark(alice)).toBe('Verified')

  const laptop = await person(server, 'Alice', alice)
  await laptop.signsIn()
  await laptop.page.getByRole('button', { name: 'Add this browser' }).click()
  await laptop.opens(bob)
  await laptop.page.getByRole('button', { name: 'Verified', exact: true }).waitFor()

  // Alice's mark does not set Bob's: he must compare for himself.
  expect(await bob.page.getByText('If the key of Alice ever changes').count()).toBe(0)
  await bob.page.getByRole('button', { name: 'They match' }).click()
  await bob.page.getByRole('button', { name: 'Done' }).click()
  await bob.page.getByRole('button', { name: 'Encrypted · Verified' }).waitFor()
  await bob.reloads()
  await bob.opens(alice)
  await bob.page.getByRole('button', { name: 'Verified', exact: true }).waitFor()

  expect([...alice.complaints, ...laptop.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
  await laptop.leaves()
})

test("The camera sees another person's number: nobody is marked, and the next scan can be right", async ({ server }) => {
  const camera = await newCamera()
  const [alice, bob, carol] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice', { words: camera.words })),
    customer(server, 'Bob'),
    customer(server, 'Carol'),
  ])
  for (const one of [alice, carol]) {
    await one.adds(bob)
    await bob.page.getByRole('button', { name: `Accept the request of @${one.username}` }).click()
    await one.opens(bob)
  }
  await bob.opens(carol)
  await opensSafety(bob)
  await code(bob).waitFor()
  await camera.looksAt(code(bob))

  await opensSafety(alice)
  await scans(alice, bob)
  await alice.page.getByText('These numbers differ.').waitFor()
  expect(await alice.page.getByRole('button', { name: 'They match' }).count()).toBe(0)

  await bob.page.getByRole('button', { name: 'Close' }).click()
  await bob.opens(alice)
  await opensSafety(bob)
  await code(bob).waitFor()
  await camera.looksAt(code(bob))
  await scans(alice, bob)
  await alice.page.getByText('The numbers are the same.').waitFor()

  expect([...alice.complaints, ...carol.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
  await carol.leaves()
})
