import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { uploaderApi } from '../contract/chat/files.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { startServer } from '../e2e/server.ts'
import { openChromium } from './chromium.ts'
import { median } from './numbers.ts'
import { type Opened, opened, shownSave, timeOpened } from './pageopening.ts'
import { pause, pssOf } from './program.ts'
import { type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { meet } from './tap.ts'

const WATCHED_MS = 10
/** Time in which a person looks at a file before the tap on Send. */
const LOOKS_MS = 700
const PATIENCE_MS = 120_000

declare global {
  /** When a button was last pressed and a file chosen, by the page's clock. */
  var pressedAt: number
  var chosenAt: number
}

/** Times in ms of one file on its way out, of the same bytes as they are, and how both compare. */
interface Sent {
  sentMs: number
  plainPutMs: number
  sentRatio: number
}

/** Times in ms of one file from its choice on, with Send tapped as soon as it can be. */
interface Chosen {
  wholeMs: number
  plainPutMs: number
  wholeRatio: number
}

/** What the processes of the pages grow by meanwhile, in MB. */
interface Grown {
  sendingMB: number
  openingMB: number
}

/**
 * Measures the largest file between two people in Chromium: from the tap on Send until the server has all of it on its disk, and from the
 * tap on Save until it is opened. Before and after each the same pages send and read as many bytes as they are. The profiles lie on disk,
 * as people's do. A file is sealed from its choice on, so rounds of their own measure what sending takes without a time before the tap.
 * Memory is looked at in rounds of its own too, because each look stops the process.
 */
export async function measurePages(isQuick: boolean): Promise<Row[]> {
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' })
  const [alice, bob] = [await openChromium(), await openChromium()]
  const outgoing: Sent[] = []
  const chosen: Chosen[] = []
  const incoming: Opened[] = []
  const grown: Grown[] = []
  try {
    const [from, to] = [alice.page, bob.page]
    await meet(server, from, to)
    for (const page of [from, to]) await watch(page)
    // The first file makes the room, and loads the code for files.
    await timeSent(from, 'first.pdf')
    await timeOpened(to, 'first.pdf')
    for (let round = 0; round < (isQuick ? 1 : 15); round++) {
      outgoing.push(await timeSent(from, `${round}.pdf`))
      incoming.push(await timeOpened(to, `${round}.pdf`))
    }
    for (let round = 0; round < (isQuick ? 1 : 15); round++) chosen.push(await timeFromChoice(from, `chosen ${round}.pdf`))
    for (let round = 0; round < (isQuick ? 1 : 5); round++) grown.push(await weigh(from, to, `weighed ${round}.pdf`))
  } finally {
    await Promise.all([alice.close(), bob.close()])
    await server.stop()
  }
  const middle = <Pick extends string>(all: Record<Pick, number>[], pick: Pick) => median(all.map((each) => each[pick]))
  const weight = (pick: keyof Grown) => middle(grown, pick)
  const note = 'PSS of its process over that before, page and worker together'
  return [
    row('uploads', '10 MB stored since the tap on Send, against a plain PUT', middle(outgoing, 'sentRatio'), 'x', {
      atLeast: 0.7,
      note: `sealed since it was chosen, before the tap; median of ${outgoing.length} ratios; ${middle(outgoing, 'sentMs').toFixed(0)} ms, the same bytes as they are ${middle(outgoing, 'plainPutMs').toFixed(0)} ms`,
    }),
    row('uploads', '10 MB sealed, kept and stored since its choice, against a plain PUT', middle(chosen, 'wholeRatio'), 'x', {
      note: `Send tapped by the page itself as soon as the dialog stands; ${middle(chosen, 'wholeMs').toFixed(0)} ms, the same bytes as they are ${middle(chosen, 'plainPutMs').toFixed(0)} ms`,
    }),
    row('uploads', '10 MB fetched and opened since the tap on Save, against a plain GET', middle(incoming, 'openedRatio'), 'x', {
      atLeast: 0.7,
      note: `median of ${incoming.length} ratios; ${middle(incoming, 'openedMs').toFixed(0)} ms, the same bytes as they are ${middle(incoming, 'plainGetMs').toFixed(0)} ms; kept after ${middle(incoming, 'keptMs').toFixed(0)} ms`,
    }),
    row('uploads', 'memory of a browser that seals and sends 10 MB', weight('sendingMB'), 'MB', { note }),
    row('uploads', 'memory of a browser that fetches and opens 10 MB', weight('openingMB'), 'MB', { note }),
  ]
}

/** Makes the page note when a button is pressed, a file is chosen and one is opened. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    document.addEventListener(
      'click',
      ({ timeStamp }) => {
        globalThis.pressedAt = timeStamp
      },
      { capture: true },
    )
    document.addEventListener(
      'change',
      ({ timeStamp }) => {
        globalThis.chosenAt = timeStamp
      },
      { capture: true },
    )
    const make = URL.createObjectURL
    URL.createObjectURL = (what) => {
      globalThis.openedAt = performance.now()
      return make.call(URL, what)
    }
  })

async function timeSent(from: Page, name: string): Promise<Sent> {
  await choose(from, name)
  await pause(LOOKS_MS)
  const putBefore = await plainPut(from)
  await send(from)
  const sentMs = (await sent(from)) - (await from.evaluate(() => globalThis.pressedAt))
  const plainPutMs = (putBefore + (await plainPut(from))) / 2
  return { sentMs, plainPutMs, sentRatio: plainPutMs / sentMs }
}

async function timeFromChoice(from: Page, name: string): Promise<Chosen> {
  const putBefore = await plainPut(from)
  await from.evaluate(() => {
    const dialogs = new MutationObserver(() => {
      const send = document.querySelector<HTMLElement>('dialog [type=submit], [role=dialog] [type=submit]')
      if (send) dialogs.disconnect()
      send?.click()
    })
    dialogs.observe(document.body, { childList: true, subtree: true })
  })
  await pick(from, name)
  const wholeMs = (await sent(from)) - (await from.evaluate(() => globalThis.chosenAt))
  const plainPutMs = (putBefore + (await plainPut(from))) / 2
  return { wholeMs, plainPutMs, wholeRatio: plainPutMs / wholeMs }
}

async function weigh(from: Page, to: Page, name: string): Promise<Grown> {
  const sendingMB = await grownBy(from, async () => {
    await choose(from, name)
    await send(from)
    await sent(from)
  })
  const save = await shownSave(to, name)
  const openingMB = await grownBy(to, async () => {
    await save.click()
    await opened(to)
  })
  return { sendingMB, openingMB }
}

async function choose(from: Page, name: string): Promise<void> {
  await pick(from, name)
  await from.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).waitFor()
}

async function pick(from: Page, name: string): Promise<void> {
  const chooser = from.waitForEvent('filechooser')
  await from.getByRole('button', { name: 'Attach files' }).click()
  await from.getByRole('menuitem', { name: 'Choose files' }).click()
  const file = join(scratchFolder('file'), name)
  writeFileSync(file, Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(LIMITS.fileBytes - 9)]))
  await from.evaluate(() => performance.clearResourceTimings())
  await (await chooser).setFiles(file)
}

const send = (from: Page): Promise<void> => from.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()

/** Waits until the server has answered that it has the whole file. Returns when that was, by the page's clock. */
async function sent(from: Page): Promise<number> {
  const ended = await from.waitForFunction(
    () => {
      const [answer] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/complete'))
      return answer && answer.startTime + answer.duration
    },
    undefined,
    { timeout: PATIENCE_MS },
  )
  const at = Number(await ended.jsonValue())
  // The message follows at once, and must not meet what is measured next.
  await from.waitForFunction(
    () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/messages')),
    undefined,
    { timeout: PATIENCE_MS },
  )
  return at
}

/** Sends as many bytes as the sealed file has, in one request to the same server, which answers once they are on its disk. */
const plainPut = (page: Page): Promise<number> =>
  page.evaluate(
    async ([params, sizeBytes]) => {
      const { url } = await (await fetch(params)).json()
      const bytes = new Blob([new Uint8Array(sizeBytes)])
      const start = performance.now()
      const { status } = await fetch(url, { method: 'PUT', body: bytes, headers: { 'content-type': 'application/octet-stream' } })
      if (status !== 200) throw new Error(`A plain upload was answered ${status}`)
      return performance.now() - start
    },
    [uploaderApi.params.path, LIMITS.sealedFileBytes] as const,
  )

/** Runs the work, and looks how many MB the renderer that grows most grows by meanwhile. */
export async function grownBy(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser')
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const before = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => ({ id, kB: pssOf(id) }))
  let most = 0
  const look = () => {
    for (const { id, kB } of before) most = Math.max(most, pssOf(id) - kB)
  }
  const watch = setInterval(look, WATCHED_MS)
  await work().finally(() => clearInterval(watch))
  return most / 1024
}
