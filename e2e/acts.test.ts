import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Dump, dumpOf, placesOf } from './dump.ts'
import { anotherBrowser, talking as test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

const fieldOf = (page: Page) => page.getByLabel('Message', { exact: true })
const editOf = (page: Page) => page.getByRole('textbox', { name: 'Edit message' })
const messageOf = (page: Page, text: string) => page.locator('.msg').filter({ hasText: text }).last()

/** Runs in the page. Some systems have no emoji of their own. */
function drawsInColour(emoji: string): boolean {
  const context = document.createElement('canvas').getContext('2d')
  if (!context) throw new Error('no canvas')
  context.font = `32px ${getComputedStyle(document.body).fontFamily}`
  context.fillText(emoji, 0, 40)
  return context.getImageData(0, 0, 60, 60).data.some((value, at, all) => at % 4 < 2 && value !== all[at + 1])
}

/** Waits until these people's screens show the same lines, in this order at the end. */
async function allShow(people: Person[], lines: string[]): Promise<void> {
  for (const one of people) await expect.poll(async () => (await one.shows()).slice(-lines.length)).toEqual(lines)
}

async function deletes(page: Page, text: string): Promise<void> {
  await messageOf(page, text).focus()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('alertdialog')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await dialog.getByRole('button', { name: 'Delete for everyone' }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('Alice edits by the up arrow, through a reload; Bob reacts; both, and a browser that comes later, see the same', async ({
  alice,
  bob,
  server,
}) => {
  const { page } = alice
  await alice.says('Shall we meet at nine?')
  await bob.reads('Shall we meet at nine?')
  await fieldOf(page).press('ArrowUp')
  await expect.poll(() => editOf(page).inputValue()).toBe('Shall we meet at nine?')
  await editOf(page).fill('Shall we meet at ten')
  await looksFine(page, 'The field of an edit')
  await alice.reloads()
  await expect.poll(() => editOf(page).inputValue()).toBe('Shall we meet at ten')
  await editOf(page).press('End')
  await page.keyboard.type('?')
  await page.keyboard.press('Enter')
  await editOf(page).waitFor({ state: 'detached' })
  await page.keyboard.type('typed on')
  await expect.poll(() => fieldOf(page).inputValue()).toBe('typed on')
  await fieldOf(page).fill('')
  await bob.reads('Shall we meet at ten?')
  await messageOf(bob.page, 'Shall we meet at ten?').getByText('Edited', { exact: true }).waitFor()

  const asked = messageOf(bob.page, 'Shall we meet at ten?')
  const before = await asked.boundingBox()
  await asked.hover()
  await asked.getByRole('button', { name: 'React' }).click()
  await looksFine(bob.page, 'The menu of a message')
  await expect.poll(() => bob.page.evaluate(drawsInColour, '👍')).toBe(true)
  await bob.page.getByRole('menuitemcheckbox', { name: 'React with thumbs up' }).click()
  const chip = (shown: Page) => messageOf(shown, 'Shall we meet at ten?').getByRole('button', { name: /^👍/ })
  await chip(page).waitFor()
  expect((await asked.boundingBox())?.x).toBe(before?.x)
  await chip(page).click()
  await chip(bob.page).filter({ hasText: '2' }).waitFor()
  await looksFine(bob.page, 'A message with a reaction')

  await messageOf(bob.page, 'Shall we meet at ten?').click({ button: 'right' })
  await bob.page.getByRole('menuitemcheckbox', { name: 'React with another emoji' }).click()
  const picker = bob.page.getByRole('dialog', { name: 'React' })
  // Its part may load late, and takes the focus then.
  await expect
    .poll(() => picker.getByRole('combobox', { name: 'Search emoji' }).evaluate((field) => field === document.activeElement))
    .toBe(true)
  await looksFine(bob.page, 'The emoji picker')
  await bob.page.keyboard.type('party popper')
  await bob.page.keyboard.press('Enter')
  await picker.waitFor({ state: 'detached' })
  await messageOf(page, 'Shall we meet at ten?').getByRole('button', { name: /^🎉/ }).waitFor()
  await fieldOf(page).fill('well done')
  await fieldOf(page).press('Home')
  await fieldOf(page).press('Control+.')
  await page.getByRole('dialog', { name: 'Emoji' }).waitFor()
  await page.keyboard.type('thumbsup')
  await page.keyboard.press('Enter')
  await expect.poll(() => fieldOf(page).inputValue()).toBe('👍well done')
  await page.keyboard.type(' ')
  await expect.poll(() => fieldOf(page).inputValue()).toBe('👍 well done')
  await fieldOf(page).fill('')

  const later = await anotherBrowser(server, bob)
  await later.opens(alice)
  await chip(later.page).filter({ hasText: '2' }).waitFor()
  await messageOf(page, 'Shall we meet at ten?').focus()
  await page.keyboard.press('i')
  const details = page.getByRole('dialog', { name: 'Message details' })
  await details.getByText('Shall we meet at nine?').waitFor()
  await looksFine(page, 'The details of a message')
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  await later.leaves()
})

test('What Alice deletes for everyone leaves no word: at the server, in the browser that was away, and in one that comes later', async ({
  alice,
  bob,
  server,
}) => {
  const { page } = alice
  const word = `regret${crypto.randomUUID().replaceAll('-', '')}`
  await alice.says('before it')
  await alice.says(`I wrote ${word}`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Choose files' }).click()
  await (await chooser).setFiles([{ name: `${word}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`bytes of ${word}`) }])
  await page.getByLabel('Caption').fill(`a file of ${word}`)
  await page.keyboard.press('Enter')
  await bob.reads(`a file of ${word}`)
  await bob.reads(`I wrote ${word}`)
  const dumps = async () => [await dumpOf(alice, server), await dumpOf(bob, server)]
  const places = (all: Dump[]) => [...new Set(all.flatMap((dump) => placesOf(dump, word)))]
  expect(places(await dumps())).toEqual(expect.arrayContaining(['vault', 'envelopes']))

  await bob.goesOffline()
  for (const text of [`a file of ${word}`, `I wrote ${word}`]) await deletes(page, text)
  await expect.poll(() => page.locator('.bub.deleted').count()).toBe(2)
  await bob.comesBack()
  await expect.poll(() => bob.page.locator('.bub.deleted').count()).toBe(2)
  const later = await anotherBrowser(server, bob)
  await later.opens(alice)
  await allShow([bob, later], ['before it', 'This message was deleted', 'This message was deleted'])
  await allShow([alice], ['before it', 'You deleted a message', 'You deleted a message'])
  await looksFine(page, 'A deleted message')
  await expect.poll(async () => places(await dumps())).toEqual([])
  await later.leaves()
})

test('What Bob deletes for himself comes back by Undo, leaves all his browsers, and stays with Alice', async ({
  alice,
  bob,
  server,
}) => {
  const other = await anotherBrowser(server, bob)
  await other.opens(alice)
  const word = `unwanted${crypto.randomUUID().replaceAll('-', '')}`
  for (const text of ['worth keeping', word]) await alice.says(text)
  for (const one of [bob, other]) await one.reads(word)
  const question = bob.page.getByRole('alertdialog', { name: 'Delete this message?' })
  const asks = async () => {
    await messageOf(bob.page, word).focus()
    await bob.page.keyboard.press('Delete')
    await question.waitFor()
    expect(await question.getByRole('button', { name: 'Delete for everyone' }).count()).toBe(0)
    await question.getByRole('button', { name: 'Delete for me' }).click()
    await expect.poll(() => bob.page.locator('.bub').filter({ hasText: word }).count()).toBe(0)
  }
  await asks()
  await bob.page.getByRole('button', { name: 'Undo' }).click()
  await messageOf(bob.page, word).waitFor()
  await messageOf(bob.page, word).focus()
  await bob.page.keyboard.press('Delete')
  await question.waitFor()
  await looksFine(bob.page, 'Who a message is deleted for')
  await bob.page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await asks()
  await bob.page.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => other.page.locator('.bub').filter({ hasText: word }).count()).toBe(0)
  await allShow([bob, other], ['worth keeping'])
  await bob.reloads()
  await allShow([bob], ['worth keeping'])
  // The server keeps what it has, and deletes it for nobody.
  for (const one of [bob, other]) await expect.poll(async () => placesOf(await dumpOf(one, server), word)).toEqual(['envelopes'])
  await allShow([alice], ['worth keeping', word])
  await other.leaves()
})

test('Alice pins without a line and by key; Bob jumps along what is pinned, and takes one off for both', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  const words = ['the gate is open', 'bring the second key', 'nine at the bridge', 'and not before']
  for (const text of words) await alice.says(text)
  await bob.reads('and not before')
  const bar = ({ page }: Person) => page.getByRole('region', { name: 'Pinned messages' })
  const pins = async (text: string) => {
    await messageOf(page, text).focus()
    await page.keyboard.press('p')
  }
  await alice.goesOffline()
  await pins('the gate is open')
  await bar(alice).getByText('the gate is open').waitFor()
  await alice.comesBack()
  await bar(bob).getByText('the gate is open').waitFor()
  for (const text of words.slice(1)) {
    await pins(text)
    await bar(bob).getByText(text).waitFor()
  }
  // Three hold.
  await bar(bob).getByText('Pinned 1 of 3').waitFor()
  await looksFine(bob.page, 'Pinned messages')
  await bar(bob)
    .getByRole('button', { name: /^Pinned 1 of 3/ })
    .click()
  await bar(bob).getByText('Pinned 2 of 3').waitFor()
  await bar(bob).getByText('nine at the bridge').waitFor()
  await bar(bob).getByRole('button', { name: 'Take off the pin' }).click()
  for (const one of [alice, bob]) await bar(one).getByText('Pinned 1 of 2').waitFor()
  await bob.reloads()
  await bar(bob).getByText('Pinned 1 of 2').waitFor()
  await expect.poll(() => messageOf(bob.page, 'bring the second key').locator('.lucide-pin').count()).toBe(1)
  expect(await messageOf(bob.page, 'nine at the bridge').locator('.lucide-pin').count()).toBe(0)
})
