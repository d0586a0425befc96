import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { anotherBrowser, customer, customerWithProfile, test } from './people.ts'
import type { Person } from './person.ts'
import { gives, looksFine } from './screen.ts'

const pill = (one: Person) => one.page.locator('.head').getByRole('button', { name: /(Not v|V)erified$/ })
const opensSafety = (one: Person) => pill(one).click()
const mark = (one: Person) => pill(one).textContent()
const codeShows = (one: Person) => one.page.getByRole('button', { name: 'Show mine' }).click()
const scans = (one: Person, other: Person) => one.page.getByRole('button', { name: `Scan ${other.name}’s code` }).click()
const code = (one: Person) => one.page.getByRole('img', { name: 'The safety number as a QR code' })
const digits = async (one: Person) =>
  (
    await one.page
      .getByRole('list', { name: /^Safety number/ })
      .locator('[aria-hidden]')
      .allTextContents()
  ).join(' ')

test("Alice scans Bob's code and sees him verified in every browser of hers; Bob stops sending while his digits differ", async ({
  server,
}) => {
  const camera = await newCamera()
  const [alice, bob] = await Promise.all([customerWithProfile(server, 'Alice', { words: camera.words }), customer(server, 'Bob')])
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)
  await bob.says('shall we compare?')
  await alice.reads('shall we compare?')
  const unverified = 'Encrypted · Not verified'
  await expect.poll(async () => [await mark(alice), await mark(bob)]).toEqual([unverified, unverified])

  await opensSafety(bob)
  await codeShows(bob)
  await code(bob).waitFor()
  await opensSafety(alice)
  await alice.page.getByRole('list', { name: /^Safety number/ }).waitFor()
  expect(await digits(alice)).toMatch(/^(\d{5} ){11}\d{5}$/)
  expect(await digits(bob)).toBe(await digits(alice))

  await camera.looksAt(code(bob))
  await scans(alice, bob)
  await alice.page.getByText('You are told if it ever changes.').waitFor()
  await alice.page.getByRole('button', { name: 'Encrypted · Verified' }).waitFor()
  await alice.page.locator('a.row', { hasText: bob.name }).getByText('Verified', { exact: true }).waitFor({ state: 'attached' })
  // At this width the panel lies over the chat.
  await alice.page.getByRole('button', { name: 'Close contact details' }).click()

  const laptop = await anotherBrowser(server, alice)
  await laptop.opens(bob)
  // At first it only reads, and does not say Encrypted.
  await laptop.page
    .locator('.head')
    .getByRole('button', { name: /^(Encrypted · )?Verified$/ })
    .waitFor()

  // Alice's mark does not set Bob's: he must compare for himself. What he finds is another number, and his browser stops sending.
  await expect.poll(() => mark(bob)).toBe(unverified)
  await bob.page.getByRole('button', { name: 'They differ' }).click()
  await bob.page.locator('.head').getByRole('button', { name: 'Numbers differ', exact: true }).waitFor()
  await bob.page.getByText('Sending is stopped.').waitFor()
  await looksFine(bob.page, 'numbers differ')
  await alice.says('which number do you see?')
  await bob.reads('which number do you see?')
  await bob.reloads()
  await bob.page.getByText('Sending is stopped.').waitFor()
  // What is dropped meanwhile is kept.
  await gives(bob, 'drop', [{ name: 'kept.pdf', type: 'application/pdf', bytes: Buffer.from('words') }])
  await bob.page.getByText('The files are kept on this page until you can send here again.').waitFor()
  await bob.page.getByRole('button', { name: 'What to do' }).click()
  await bob.page.getByRole('button', { name: 'Compare again' }).click()
  await bob.page.getByRole('button', { name: 'They match' }).click()
  await bob.page.getByRole('dialog', { name: 'Send a file' }).getByRole('button', { name: 'Send', exact: true }).click()
  await alice.page.getByRole('button', { name: 'Save kept.pdf' }).waitFor()
  await bob.page.getByRole('button', { name: 'Encrypted · Verified' }).waitFor()
  // The file gave the focus to the field, and at this width the panel over the chat makes room.
  await bob.page.getByRole('complementary', { name: 'Contact details' }).waitFor({ state: 'detached' })
  await bob.says('the same after all')
  await alice.reads('the same after all')

  expect([...alice.complaints, ...laptop.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
  await laptop.leaves()
})

test("The camera sees another person's number: nobody is marked, and the next scan can be right", async ({ server }) => {
  const camera = await newCamera()
  const [alice, bob, carol] = await Promise.all([
    customerWithProfile(server, 'Alice', { words: camera.words }),
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
  await codeShows(bob)
  await code(bob).waitFor()
  await camera.looksAt(code(bob))

  await opensSafety(alice)
  await scans(alice, bob)
  await alice.page.getByText('These numbers differ.').waitFor()

  await bob.page.getByRole('button', { name: 'Close contact details' }).click()
  await bob.opens(alice)
  await opensSafety(bob)
  await codeShows(bob)
  await code(bob).waitFor()
  await camera.looksAt(code(bob))
  await scans(alice, bob)
  await alice.page.getByText('You are told if it ever changes.').waitFor()

  expect([...alice.complaints, ...carol.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
  await carol.leaves()
})
