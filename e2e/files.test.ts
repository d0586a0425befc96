import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { talking as test } from './people.ts'
import { looksFine } from './screen.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const NAME = 'secret-plan-of-alice.pdf'

test('Alice sends Bob a document with a caption: he saves it under its name, as it was', async ({ alice, bob }) => {
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.7\nvery secret words of Alice\n'),
    Buffer.alloc(700_000, 'words of a document. '),
  ])
  const chooser = alice.page.waitForEvent('filechooser')
  await alice.page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles([{ name: NAME, mimeType: 'application/pdf', buffer: pdf }])
  await alice.page.getByLabel('Caption').fill('read this')
  await looksFine(alice.page, 'files before they are sent')
  await alice.page.getByRole('button', { name: 'Send', exact: true }).last().click()
  await alice.page.getByText(`${NAME} has been sent`, { exact: true }).waitFor()
  const saving = bob.page.waitForEvent('download')
  await bob.page.getByRole('button', { name: `Save ${NAME}` }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe(NAME)
  expect(sha256(await readFile(await saved.path()))).toBe(sha256(pdf))
  await bob.page.getByText('read this').waitFor()
})
