import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { test as base, customer, startChat } from './people.ts'
import type { Person } from './person.ts'
import { looksFine, putsAway } from './screen.ts'

const MIB = 1024 * 1024

/** Alice pays, Bob does not. Their browsers find each other, and their chat is before them. */
const test = base.extend<{ sharers: [Person, Person] }>({
  sharers: [
    async ({ server }, use) => {
      const alice = await customer(server, 'Alice', { hasDevices: true })
      const bob = await customer(server, 'Bob', { hasDevices: true, isFree: true })
      await startChat(alice, bob)
      await use([alice, bob])
      for (const one of [alice, bob]) {
        expect(one.complaints).toEqual([])
        await one.leaves()
      }
    },
    { scope: 'file' },
  ],
})

/** A file on disk that nobody has seen before. */
async function newFile(name: string, sizeBytes: number): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), name)
  await writeFile(path, randomBytes(sizeBytes))
  return path
}

const [DESK, PHONE] = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const line = ({ page }: Person, name: string) => page.locator('.transfer-line', { hasText: name })
const says = (one: Person, name: string, text: string) =>
  line(one, name).locator('.transfer-stage').getByText(text, { exact: true }).waitFor()

async function chooses({ page }: Person, press: () => Promise<void>, path: string): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press()])
  await chooser.setFiles(path)
}

/** By the words of the 10 MB that a server takes. */
async function offersFromToast(one: Person, path: string): Promise<void> {
  const { page } = one
  await page.getByRole('button', { name: 'Attach files' }).click()
  await chooses(one, () => page.getByRole('menuitem', { name: 'Choose files' }).click(), path)
  await page.locator('.toast', { hasText: 'Please select a file smaller than 10MB' }).waitFor()
  await page.getByRole('button', { name: 'Send directly' }).click()
  await page
    .getByRole('dialog')
    .getByRole('listitem')
    .filter({ hasText: basename(path) })
    .waitFor()
}

/** The page loads itself anew as soon as so much of the file has moved. */
const reloadsAt = ({ page }: Person, percent: number) =>
  page.evaluate((wanted) => {
    const timer = setInterval(() => {
      const bar = document.querySelector<HTMLProgressElement>('.transfer-line progress')
      if (!bar || (100 * bar.value) / bar.max < wanted) return
      clearInterval(timer)
      location.reload()
    }, 5)
  }, percent)

/** Each is asked once. */
const allows = ({ page }: Person, question: string, allow: string) =>
  page.getByRole('dialog', { name: question }).getByRole('button', { name: allow, exact: true }).click()

/** On a busy machine the questions and the first megabytes take most of the usual patience. */
const hasReloaded = ({ page }: Person) => page.waitForEvent('load', { timeout: 60_000 })

test('A file above 10 MB goes from browser to browser, goes on after a reload of either side, arrives whole, and is there after another', async ({
  sharers: [alice, bob],
}) => {
  const path = await newFile('film.bin', 30 * MIB)
  await offersFromToast(alice, path)
  await looksFine(alice.page, 'a file that is to go directly')
  await alice.page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await putsAway(alice.page, 'File Offer Sent', '“film.bin” goes over once Bob accepts it.')
  await allows(alice, 'Bob’s browser will see your network address.', 'Send')
  await alice.page.getByRole('dialog', { name: 'Direct files with Bob' }).waitFor()
  await alice.page.keyboard.press('Escape')
  await says(alice, 'film.bin', 'Waits for Bob to accept it')
  await putsAway(bob.page, 'Incoming File', 'Alice offers “film.bin”')
  await looksFine(bob.page, 'a file that is offered directly')
  await reloadsAt(bob, 20)
  await reloadsAt(alice, 60)
  const reloaded = [hasReloaded(bob), hasReloaded(alice)]
  await line(bob, 'film.bin').getByRole('button', { name: 'Accept film.bin' }).click()
  await allows(bob, 'Alice’s browser will see your network address.', 'Accept')
  await reloaded[0]
  const bar = await bob.page.waitForFunction(() => document.querySelector<HTMLProgressElement>('.transfer-line progress')?.value)
  // Noted after each 4 MiB.
  expect(await bar.jsonValue()).toBeGreaterThanOrEqual(4 * MIB)
  await putsAway(bob.page, 'Secure Connection Established')
  await reloaded[1]
  await putsAway(alice.page, 'Secure Connection Established')
  await Promise.all([putsAway(bob.page, 'File Received', 'film.bin'), putsAway(alice.page, 'File Sent', 'film.bin')])
  await says(alice, 'film.bin', 'Sent, whole and unchanged')
  await looksFine(bob.page, 'a file that came directly')
  const sent = hashOf(await readFile(path))
  expect(hashOf(await bob.savesDirectly('film.bin'))).toBe(sent)
  await bob.reloads()
  expect(hashOf(await bob.savesDirectly('film.bin'))).toBe(sent)
})

test('Pause, decline and cancel stand at both ends, each in its words', async ({ sharers: [alice, bob] }) => {
  // So that it also runs alone: the first one asks.
  for (const one of [alice, bob]) await one.allowsAddress()
  const [first, second] = [await newFile('first.bin', MIB), await newFile('second.bin', 30 * MIB)]
  for (const path of [first, second]) await alice.offersDirectly(path)
  await line(bob, 'first.bin').getByRole('button', { name: 'Decline first.bin' }).click()
  for (const one of [alice, bob]) await says(one, 'first.bin', 'Declined')
  await line(bob, 'second.bin').getByRole('button', { name: 'Accept second.bin' }).click()
  await line(bob, 'second.bin').getByRole('button', { name: 'Pause second.bin' }).click()
  await says(bob, 'second.bin', 'Paused')
  await says(alice, 'second.bin', 'Paused by Bob')
  await bob.page.setViewportSize(PHONE)
  await looksFine(bob.page, 'direct transfers on a phone')
  await bob.page.setViewportSize(DESK)
  await line(alice, 'second.bin').getByRole('button', { name: 'Cancel second.bin' }).click()
  for (const one of [alice, bob]) await says(one, 'second.bin', 'Cancelled')
  expect(await bob.page.getByRole('button', { name: 'Save second.bin' }).count()).toBe(0)
})

test('A hundred mebibytes are refused in the specification’s words; a free account is shown the plans', async ({
  sharers: [alice, bob],
}) => {
  const path = await newFile('huge.bin', 1)
  await truncate(path, 100 * MIB)
  await alice.page.getByRole('button', { name: 'Attach files' }).click()
  await alice.page.getByRole('menuitem', { name: 'Send directly, up to 100 MB' }).click()
  await chooses(alice, () => alice.page.getByRole('dialog').getByRole('button', { name: 'Send another' }).click(), path)
  await alice.page.getByRole('alert').getByText('File size must be under 100MB for P2P transfer', { exact: true }).waitFor()
  await alice.page.keyboard.press('Escape')
  await bob.page.getByRole('button', { name: 'Attach files' }).click()
  await bob.page.getByRole('dialog', { name: 'Subscription Required' }).getByRole('button', { name: 'Maybe Later' }).click()
})
