import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { dumpOf, placesOf } from './dump.ts'
import { givesTone } from './microphone.ts'
import { anotherBrowser, talking as test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

/** What lies in the private file system of the browser's chats. */
const keptFiles = ({ page }: Person): Promise<string[]> =>
  page.evaluate(async () => {
    const found: string[] = []
    const folders = [await navigator.storage.getDirectory()]
    for (const folder of folders)
      for await (const entry of folder.values())
        if (entry instanceof FileSystemDirectoryHandle) folders.push(entry)
        else if (folder.name.startsWith('dm_') || folder.name === 'waiting') found.push(entry.name)
    return found
  })

const openedTile = ({ page }: Person) => page.locator('.once-tile').getByText(/^Opened /)

test('Alice sends a picture that opens once: Bob sees it by key in one browser, and no browser has it afterwards', async ({
  server,
  alice,
  bob,
}) => {
  const { page } = alice
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Choose files' }).click()
  const buffer = await readFile('client/public/icon-512.png')
  await (await chooser).setFiles([{ name: 'sea.png', mimeType: 'image/png', buffer }])
  const word = `sea${crypto.randomUUID().replaceAll('-', '')}`
  await page.getByLabel('Caption').fill(`the ${word} at four`)
  await page.getByLabel('View once').check()
  await looksFine(page, 'a picture that is to open once')
  await page.getByRole('button', { name: 'Send', exact: true }).last().click()
  await page.getByText('View once · not opened yet').waitFor()
  await expect.poll(() => keptFiles(alice)).toEqual([])

  const other = await anotherBrowser(server, bob)
  await other.opens(alice)
  const tile = (one: Person) => one.page.getByRole('button', { name: 'Open Photo View once' })
  await Promise.all([tile(other).waitFor(), tile(bob).waitFor()])
  await looksFine(bob.page, 'a picture that opens once')
  for (const one of [alice, bob]) {
    expect(await one.page.getByText(word).count()).toBe(0)
    expect(await one.page.locator('.bub.once img').count()).toBe(0)
  }

  const places = async () => {
    const dumps = [await dumpOf(alice, server), await dumpOf(bob, server), await dumpOf(other, server)]
    return [...new Set(dumps.flatMap((dump) => placesOf(dump, word)))]
  }
  expect(await places()).toEqual(expect.arrayContaining(['vault', 'envelopes']))
  await bob.page.locator('.msg', { has: tile(bob) }).focus()
  await bob.page.keyboard.press('Enter')
  const viewer = bob.page.getByRole('dialog', { name: 'Photo' })
  await viewer.getByRole('img', { name: 'Photo' }).waitFor()
  await viewer.getByText(`the ${word} at four`).waitFor()
  await looksFine(bob.page, 'what was opened once')
  // Before he closes it the others know.
  for (const one of [alice, other]) await openedTile(one).waitFor()
  await bob.page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  expect(await bob.page.evaluate(() => document.activeElement?.matches('.msg, textarea'))).toBe(true)
  await looksFine(bob.page, 'a picture that was opened')
  await bob.reloads()
  for (const one of [alice, bob, other]) {
    await openedTile(one).waitFor()
    expect(await tile(one).count()).toBe(0)
    expect(await keptFiles(one)).toEqual([])
  }
  expect(await places()).toEqual([])
  await other.leaves()
})

test('Alice sends a voice message that opens once, and Bob, whose line is gone, opens it when it is back', async ({
  alice,
  bob,
}) => {
  await givesTone(alice.page)
  await alice.page.getByRole('button', { name: 'Record a voice message' }).click()
  // On a slow machine its clock leaves seconds out.
  await alice.page.getByText(/^0:0[1-9]$/).waitFor()
  await alice.page.getByRole('button', { name: 'View once' }).click()
  await looksFine(alice.page, 'a voice message that is to open once')
  await alice.page.getByRole('button', { name: 'Send voice message' }).click()
  const tile = bob.page.getByRole('button', { name: /^Open Voice message, 0:0\d View once/ })
  await tile.waitFor()
  await bob.goesOffline()
  await bob.page.getByRole('button', { name: 'You are offline' }).first().waitFor()
  await tile.click()
  await bob.page.getByText('It opens with a connection alone').waitFor()
  await bob.comesBack()
  await bob.page.getByRole('button', { name: /^Connected/ }).waitFor()
  await tile.click()
  const viewer = bob.page.getByRole('dialog', { name: 'Voice message' })
  await viewer.getByRole('button', { name: 'Play voice message' }).waitFor()
  await looksFine(bob.page, 'a voice message that was opened once')
  await viewer.getByRole('button', { name: 'Close' }).click()
  await Promise.all([alice, bob].map((one) => openedTile(one).last().waitFor()))
})
