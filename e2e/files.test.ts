import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { talking as test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'
import { everyFile, everyRow, finds } from './tables.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const NAME = 'secret-plan-of-alice.pdf'

/** Chooses a file as the person would; the dialog that shows it is open then. */
async function chooses({ page }: Person, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles([file])
}
const sends = ({ page }: Person) => page.getByRole('button', { name: 'Send', exact: true }).last().click()

test('Alice sends Bob a document with a caption: he saves it under its name, as it was, and the server has no word of it', async ({
  server,
  alice,
  bob,
}) => {
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.7\nvery secret words of Alice\n'),
    Buffer.alloc(700_000, 'words of a document. '),
  ])
  await chooses(alice, { name: NAME, mimeType: 'application/pdf', buffer: pdf })
  await alice.page.getByLabel('Caption').fill('read this')
  await looksFine(alice.page, 'files before they are sent')
  await sends(alice)
  await alice.page.getByText(`${NAME} has been sent`, { exact: true }).waitFor()
  const saving = bob.page.waitForEvent('download')
  await bob.page.getByRole('button', { name: `Save ${NAME}` }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe(NAME)
  expect(sha256(await readFile(await saved.path()))).toBe(sha256(pdf))
  await bob.page.getByText('read this').waitFor()

  const places = { database: await everyRow(server.dataFolder), files: await everyFile(server.dataFolder), log: server.output() }
  expect(finds(places.database, bob.username)).toBe(true)
  for (const [place, text] of Object.entries(places))
    for (const word of [NAME, 'application/pdf', 'very secret words of Alice', 'words of a document. words', 'read this'])
      expect(finds(text, word), `${word} lies in the ${place}`).toBe(false)
})

test('Alice chooses a picture without a connection and loads the page anew once it is back: it comes once, and opens', async ({
  alice,
  bob,
}) => {
  await alice.goesOffline()
  const buffer = await readFile('client/public/icon-512.png')
  await chooses(alice, { name: 'holiday.png', mimeType: 'image/png', buffer })
  await sends(alice)
  await alice.page.getByText('It goes on when the connection is back.').waitFor()
  await alice.comesBack()
  await alice.page.reload()
  const pictures = (page: Person['page']) => page.getByRole('button', { name: 'Open holiday.png' })
  await pictures(bob.page).getByRole('img').waitFor()
  await alice.says('that was it')
  await bob.reads('that was it')
  expect(await pictures(bob.page).count()).toBe(1)
  expect(await pictures(alice.page).count()).toBe(1)
  await pictures(bob.page).click()
  await looksFine(bob.page, 'a picture in the viewer')
  await bob.page.keyboard.press('Escape')
})
