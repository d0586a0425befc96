import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { customer, joined, personWithProfile, test } from './people.ts'
import type { Person } from './person.ts'

const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name })
const toast = ({ page }: Person, title: string) => page.getByText(title, { exact: true })
const code = ({ page }: Person) => page.getByRole('img', { name: 'Your contact QR code' })

async function token({ page }: Person): Promise<string> {
  return (await page.getByRole('dialog').locator('.code-line .mono').getAttribute('title')) ?? ''
}

async function pastes(one: Person, text: string): Promise<void> {
  await button(one, 'Scan QR').click()
  await one.page.getByRole('tab', { name: 'Paste token' }).click()
  await one.page.getByLabel('QR token').fill(text)
  await button(one, 'Add Contact').click()
}

test('Alice scans the code on the screen of Bob, who says that it is her: both are contacts and verified', async ({ server }) => {
  const camera = await newCamera()
  const [alice, bob] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice', { words: camera.words })),
    customer(server, 'Bob'),
  ])
  await button(bob, 'Invite').click()
  await code(bob).waitFor()
  await bob.page.getByText(/^Expires in [45]:\d\d$/).waitFor()
  const download = bob.page.waitForEvent('download')
  await button(bob, 'Download').click()
  expect((await download).suggestedFilename()).toBe(`${bob.username}-contact-qr.png`)

  await camera.looksAt(code(bob))
  await button(alice, 'Scan QR').click()
  await toast(alice, 'Contact added').waitFor()
  // Bob is asked at once, where the code is.
  const asked = bob.page.getByRole('dialog').getByText(`scanned your code. Is it the person before you?`)
  await asked.waitFor()
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Yes, it is' }).click()
  await asked.waitFor({ state: 'detached' })
  await bob.page.keyboard.press('Escape')
  await alice.opens(bob)
  await bob.opens(alice)
  for (const one of [alice, bob])
    await button(one, /Verified$/)
      .first()
      .waitFor()
  await alice.says('so that was you')
  await bob.reads('so that was you')
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
})

test('A code that is replaced, garbage, or missing is refused by name; a pasted token adds and verifies nobody', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob')])
  await button(bob, 'Invite').click()
  await code(bob).waitFor()
  const first = await token(bob)
  await button(bob, 'Regenerate QR Code').click()
  await toast(bob, 'QR Code Generated').waitFor()
  await expect.poll(() => token(bob)).not.toBe(first)
  const second = await token(bob)

  // This browser has no camera: the dialog says so and offers the token.
  await button(alice, 'Scan QR').click()
  await toast(alice, 'Camera Error').waitFor()
  await alice.page.getByText('No camera found on this device. Please use manual entry to add contacts.').waitFor()
  await alice.page.getByLabel('QR token').fill('nonsense')
  await button(alice, 'Add Contact').click()
  await alice.page.getByText('This is not a valid contact code').waitFor()
  await alice.page.getByLabel('QR token').fill(first)
  await button(alice, 'Add Contact').click()
  await alice.page.getByText('This QR code was replaced by a newer one. Scan that one').waitFor()
  await alice.page.keyboard.press('Escape')
  await pastes(alice, second)
  await toast(alice, 'Contact added').waitFor()
  await bob.page.getByRole('dialog').getByText('added you by the token of your code').waitFor()
  await bob.page.getByRole('dialog').getByRole('button', { name: /^OK/ }).click()
  await bob.page.keyboard.press('Escape')
  await bob.accepts(alice)
  await bob.opens(alice)
  await button(bob, /Not verified$/)
    .first()
    .waitFor()
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
})
