import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { opensArriving } from '../client/testing/files.ts'
import type { FileContent } from '../contract/chat/content.ts'
import { contentWords } from '../contract/chat/kinds/kinds.ts'
import { objectPath } from '../contract/chat/objects.ts'
import { atDatabase } from '../e2e/tables.ts'
import { bobSays, fieldOf, newText, type Scene, standingOf, until } from './crashscene.ts'
import type { Accuse } from './law.ts'
import type { SpentKeys } from './senderdata.ts'

/** Bubbles on the screen that are compared. */
const SHOWN = 12
/** Some hundred texts are fetched, page by page. */
const HISTORY_MS = 120_000

/**
 * After the browser runs again: what was typed is there and goes out, both write on, and everything stands once at Bob and on both
 * screens.
 */
export async function checkScene(scene: Scene, keys: SpentKeys, accuse: Accuse): Promise<void> {
  const [first, second] = scene.open.tabs
  await sendsDraft(scene, first, accuse)
  await keys.notes()
  await bobSays(scene)
  for (const page of [first, second]) await reads(page, [...scene.written.keys()].at(-1) ?? '')
  const text = newText(scene, 'Alice', true)
  await fieldOf(second).fill(text)
  await fieldOf(second).press('Enter')
  const messages = await untilBobHas(scene, text)
  await keys.notes()
  for (const page of [first, second]) await reads(page, text)

  const texts = messages.map(({ body, isOutOfPlace, isArchiveWrong }) => {
    if (body.kind !== 'content')
      accuse('differing', `Bob has a message that is ${body.kind}${'reason' in body ? `: ${body.reason}` : ''}`)
    if (isOutOfPlace) accuse('reordered', 'Bob misses something before a message')
    if (isArchiveWrong) accuse('differing', 'the archive part of a message is wrong')
    return body.kind === 'content' ? contentWords(body.content) : ''
  })
  checkOnce(texts, scene.written, 'Bob', accuse)
  await checkFiles(
    scene,
    messages.flatMap(({ body }) => (body.kind === 'content' && body.content.type === 'file' ? [body.content] : [])),
    accuse,
  )
  for (const page of [first, second]) await checkScreen(scene, page, accuse)
  await checkRows(scene, messages.length, keys, accuse)
}

/** What was on disk when the browser was killed stands in the composer, or was sent. */
async function sendsDraft(scene: Scene, page: Page, accuse: Accuse): Promise<void> {
  const { draft, written } = scene
  scene.draft = undefined
  if (draft === undefined) return
  const isThere = async () =>
    (await fieldOf(page).inputValue()) !== '' || (await page.locator('.bub', { hasText: draft }).count()) > 0
  await until('what was typed', isThere).catch(() => accuse('lost', `"${draft}" was typed and is not there any more`))
  const left = await fieldOf(page).inputValue()
  if (left === '') return
  if (left !== draft && !written.has(left)) accuse('foreign', `"${left}" stands in the composer`)
  if (!written.has(left)) return void (await fieldOf(page).fill(''))
  written.set(left, { isSure: true })
  await fieldOf(page).press('Enter')
}

const reads = (page: Page, text: string): Promise<void> => page.locator('.bub', { hasText: text }).first().waitFor()

async function untilBobHas({ bob, alice }: Scene, text: string) {
  let messages = await bob.reads(alice.username)
  const has = () => messages.some(({ body }) => body.kind === 'content' && contentWords(body.content) === text)
  await until(`"${text}" at Bob`, async () => {
    if (!has()) messages = await bob.reads(alice.username)
    return has()
  })
  return messages
}

function checkOnce(texts: string[], written: Scene['written'], where: string, accuse: Accuse): void {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const [text, { isSure }] of written) {
    const count = counts.get(text) ?? 0
    if (count === 0 && isSure) accuse('lost', `"${text}" is not with ${where}`)
    if (count > 1) accuse('duplicated', `"${text}" is ${count} times with ${where}`)
    // What has arrived once stays.
    if (count === 1) written.set(text, { isSure: true, isSeen: true })
  }
}

async function checkFiles({ bob, chatRoomId, files }: Scene, arrived: FileContent[], accuse: Accuse): Promise<void> {
  for (const [name, file] of files) {
    const found = arrived.filter((content) => content.name === name)
    if (found.length === 0 && file.isSure) accuse('lost', `the file ${name} is not with Bob`)
    if (found.length > 1) accuse('duplicated', `the file ${name} is ${found.length} times with Bob`)
    const [content] = found
    if (!content || file.isChecked) continue
    const sealed = await (await bob.fetches(objectPath(content.object))).blob()
    const opened = await opensArriving(bob.env.crypto, { chatRoomId, content }, sealed, 1_000_000)
    const bytes = Buffer.from((await opened?.arrayBuffer()) ?? new ArrayBuffer(0))
    if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
      accuse('differing', `the file ${name} has other bytes at Bob`)
    files.set(name, { ...file, isSure: true, isChecked: true })
  }
}

async function checkScreen({ written }: Scene, page: Page, accuse: Accuse): Promise<void> {
  const isQuiet = async () =>
    (await page.locator('[role="group"][aria-label*=", sending"], [role="group"][aria-label*=", waiting"]').count()) === 0
  await until('the ticks of what was sent', isQuiet)
  const shown = await page.locator('.bub p').allTextContents()
  const expected = [...written].filter(([, { isSure }]) => isSure).map(([text]) => text)
  for (const text of expected.slice(-SHOWN)) {
    const count = shown.filter((bubble) => bubble.includes(text)).length
    if (count === 0) accuse('lost', `"${text}" is not on the screen`)
    if (count > 1) accuse('duplicated', `"${text}" is ${count} times on the screen`)
  }
  // [Note: V2] The log had a message that the vault did not know: a state was kept too late.
  if ((await page.getByText('copied or restored').count()) > 0) accuse('stale', 'the browser takes itself for a copy')
  if ((await page.locator('[role="group"][aria-label*=", not sent"]').count()) > 0) accuse('lost', 'a message could not be sent')
}

/** A browser that has lost all gets the whole past from the server: every text and file, not only the newest. */
export async function checkHistory({ written, files, open }: Scene, accuse: Accuse): Promise<void> {
  const [page] = open.tabs
  // A hidden tab draws once a second.
  await page.bringToFront()
  const sure = [...written, ...files].filter(([, { isSure }]) => isSure)
  const missing = new Set(sure.map(([words]) => words))
  const log = page.getByRole('log')
  const isWhole = async () => {
    for (const shown of await page.locator('.bub').allTextContents())
      for (const words of missing) if (shown.includes(words)) missing.delete(words)
    // Each step has its frame: several in one would pass over what stands between.
    await log.evaluate(async (element) => {
      element.scrollBy(0, -element.clientHeight / 2)
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    })
    return missing.size === 0
  }
  await until('the whole history', isWhole, HISTORY_MS).catch(() => undefined)
  for (const words of missing) accuse('lost', `"${words}" has not come back to a browser that had lost its databases`)
  await page.reload()
  await standingOf(page)
}

async function checkRows({ server, chatRoomId }: Scene, known: number, keys: SpentKeys, accuse: Accuse): Promise<void> {
  const { rows } = await atDatabase(server.dataFolder, (client) =>
    client.query<{ id: string; content: string }>(
      'select id, content from messages where room = (select number from chat_rooms where id = $1) order by seq',
      [chatRoomId],
    ),
  )
  if (rows.length !== known) accuse('differing', `the server has ${rows.length} messages, Bob ${known}`)
  const { shared } = await keys.reused(rows)
  for (const words of shared) accuse('stale', `a key or nonce was used twice: ${words}`)
}
