import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { openContext } from './browser.ts'
import { type HeadlessUser, headlessUser, madeAccount } from './crowd.ts'
import { movesIn } from './moving.ts'
import { givesTier, startChat, testAtOwnServer } from './people.ts'
import { type Person, visitor } from './person.ts'
import type { RunningServer } from './server.ts'

// `npm run pictures`: the chat that the landing shows, by the product itself.

const FOLDER = path.resolve(import.meta.dirname, '../client/public')
const BYTES_MAX = 60_000
const SHAPES = { '': { width: 1056, height: 640 }, 'phone-': { width: 390, height: 560 } }

const TALK: [from: 'eleanor' | 'marcus', text: string][] = [
  ['marcus', 'The board met without me. They want the seventh draft by six.'],
  ['eleanor', 'Then they have read the sixth.'],
  ['marcus', 'One of them has. Clause nine is gone.'],
  ['eleanor', 'Good. Send me theirs, not ours.'],
  ['marcus', 'You have it before the call. Nobody else does.'],
  ['eleanor', 'Sign before six. I will countersign from Geneva.'],
  ['marcus', 'The door is open until then. After that it is a room.'],
]
const OTHERS: [name: string, texts: string[]][] = [
  ['Rafael', ['Term sheet, seventh draft, is with counsel.']],
  ['Amara', ['Before the hearing I would like ten minutes.', 'Alone, if you can.']],
  ['Ingrid', ['The minister agrees, on one condition.']],
]

async function member(server: RunningServer, username: string, displayName: string, at: number): Promise<Person> {
  const [password, address] = [`password of ${username}`, `10.2.0.${at}`]
  const moved = await madeAccount(server.url, { username, displayName, password, address })
  await givesTier(server, { username }, 'premium')
  const one = await visitor(server, await openContext(address), { username, password, name: displayName })
  await movesIn(one, server.url, moved)
  return one
}

/** A message of somebody who has no window, in a chat that Eleanor has accepted. */
async function writes(server: RunningServer, eleanor: Person, name: string, texts: string[]): Promise<void> {
  const other: HeadlessUser = await headlessUser(server.url, name)
  await givesTier(server, other, 'premium')
  await other.adds(eleanor.username)
  await eleanor.page.getByText(name).first().waitFor()
  await eleanor.page.getByRole('button', { name: 'Accept' }).click()
  await other.says(eleanor.username, texts)
  await eleanor.page.locator('.row', { hasText: texts.at(-1) ?? '' }).waitFor()
}

/** Finer than it is shown, for screens with more than a pixel for each of ours. */
async function pictureOf(page: Page, { width, height }: { width: number; height: number }): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const clip = { x: 0, y: 0, width, height, scale: 1.5 }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60, clip })
  await session.detach()
  return Buffer.from(data, 'base64')
}

testAtOwnServer('Eleanor and Marcus talk, and the chat is kept as a picture in both themes', async ({ server }) => {
  const eleanor = await member(server, 'eleanor_whitcombe', 'Eleanor Whitcombe', 1)
  const marcus = await member(server, 'marcus_adeyemi', 'Marcus Adeyemi', 2)
  for (const [name, texts] of OTHERS) await writes(server, eleanor, name, texts)
  await startChat(eleanor, marcus)
  const [says, reads] = [
    { eleanor, marcus },
    { eleanor: marcus, marcus: eleanor },
  ]
  for (const [from, text] of TALK) {
    await says[from].says(text)
    await reads[from].reads(text)
  }
  const { page } = eleanor
  await page.getByRole('button', { name: 'Encrypted · Not verified' }).click()
  await page.getByRole('button', { name: 'They match' }).click()
  await page.getByRole('button', { name: 'Encrypted · Verified' }).waitFor()
  await page.getByRole('button', { name: 'Close contact details' }).click()
  await page.getByText('You are told if it ever changes.').waitFor({ state: 'detached' })
  await page.mouse.move(0, 0)
  for (const [kind, shape] of Object.entries(SHAPES))
    for (const theme of ['light', 'dark'] as const) {
      await page.setViewportSize(shape)
      await page.emulateMedia({ colorScheme: theme })
      await page.evaluate(() => document.fonts.ready)
      const file = path.join(FOLDER, `chat-${kind}${theme}.webp`)
      writeFileSync(file, await pictureOf(page, shape))
      expect(statSync(file).size, file).toBeLessThan(BYTES_MAX)
    }
})
