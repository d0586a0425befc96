import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { uploaderApi } from '../contract/files.ts'
import { LIMITS } from '../contract/limits.ts'
import { startServer } from '../e2e/server.ts'
import { openChromium } from './chromium.ts'
import { median } from './numbers.ts'
import { pssOf } from './program.ts'
import { type Row, row } from './row.ts'
import { meet } from './tap.ts'

const WATCHED_MS = 10
const PATIENCE_MS = 120_000

declare global {
  /** When the page made the address of a file that it has opened, and when a button was last pressed, by its clock. */
  var openedAt: number | undefined
  var pressedAt: number
}

/** Times in ms of one file on both ways, of the same bytes as they are, and how both compare. */
interface Timed {
  sentMs: number
  plainPutMs: number
  sentRatio: number
  openedMs: number
  plainGetMs: number
  openedRatio: number
}

/** What the processes of the pages grow by meanwhile, in MB. */
interface Grown {
  sendingMB: number
  openingMB: number
}

/**
 * Measures the largest file between two people in Chromium: from the tap on Send until the server has all of it on its disk, and from the
 * tap on Save until it is opened. Before and after each the same pages send and read as many bytes as they are. The profiles lie on disk,
 * as people's do. Memory is looked at in rounds of its own, because each look stops the process.
 */
export async function measurePages(isQuick: boolean): Promise<Row[]> {
  const server = await startServer({ NODE_ENV: 'production', LOG_LEVEL: 'warn' })
  const [alice, bob] = [await openChromium(), await openChromium()]
  const timed: Timed[] = []
  const grown: Grown[] = []
  try {
    const [from, to] = [alice.page, bob.page]
    await meet(server, from, to)
    for (const page of [from, to]) await watch(page)
    // The first file makes the room, and loads the code for files.
    await time(from, to, 'first.pdf')
    for (let round = 0; round < (isQuick ? 1 : 15); round++) timed.push(await time(from, to, `${round}.pdf`))
    for (let round = 0; round < (isQuick ? 1 : 5); round++) grown.push(await weigh(from, to, `weighed ${round}.pdf`))
  } finally {
    await Promise.all([alice.close(), bob.close()])
    await server.stop()
  }
  const of = (pick: keyof Timed) => median(timed.map((each) => each[pick]))
  const beside = (own: keyof Timed, plain: keyof Timed) => ({
    atLeast: 0.7,
    note: `median of ${timed.length} ratios; ${of(own).toFixed(0)} ms, the same bytes as they are ${of(plain).toFixed(0)} ms`,
  })
  const weight = (pick: keyof Grown) => median(grown.map((each) => each[pick]))
  const note = 'PSS of its process over that before the tap, page and worker together'
  return [
    row('uploads', '10 MB sealed, kept and stored, against a plain PUT', of('sentRatio'), 'x', beside('sentMs', 'plainPutMs')),
    row(
      'uploads',
      '10 MB fetched, opened and kept, against a plain GET',
      of('openedRatio'),
      'x',
      beside('openedMs', 'plainGetMs'),
    ),
    row('uploads', 'memory of a browser that seals and sends 10 MB', weight('sendingMB'), 'MB', { note }),
    row('uploads', 'memory of a browser that fetches and opens 10 MB', weight('openingMB'), 'MB', { note }),
  ]
}

/** Makes the page note when a button is pressed and a file is opened. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    document.addEventListener(
      'click',
      ({ timeStamp }) => {
        globalThis.pressedAt = timeStamp
      },
      { capture: true },
    )
    const make = URL.createObjectURL
    URL.createObjectURL = (what) => {
      globalThis.openedAt = performance.now()
      return make.call(URL, what)
    }
  })

async function time(from: Page, to: Page, name: string): Promise<Timed> {
  await choose(from, name)
  const putBefore = await plainPut(from)
  await from.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  const sentMs = await sent(from)
  const plainPutMs = (putBefore + (await plainPut(from))) / 2
  const save = to.getByRole('button', { name: `Save ${name}` })
  await save.waitFor({ timeout: PATIENCE_MS })
  const fetched = to.waitForRequest((request) => request.url().includes('/objects/uploads/'), { timeout: PATIENCE_MS })
  await save.click()
  const openedMs = await opened(to)
  const path = new URL((await fetched).url()).pathname
  const plainGetMs = ((await plainGet(to, path)) + (await plainGet(to, path))) / 2
  return { sentMs, plainPutMs, sentRatio: plainPutMs / sentMs, openedMs, plainGetMs, openedRatio: plainGetMs / openedMs }
}

async function weigh(from: Page, to: Page, name: string): Promise<Grown> {
  await choose(from, name)
  const sendingMB = await grownBy(from, async () => {
    await from.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
    await sent(from)
  })
  const save = to.getByRole('button', { name: `Save ${name}` })
  await save.waitFor({ timeout: PATIENCE_MS })
  const openingMB = await grownBy(to, async () => {
    await save.click()
    await opened(to)
  })
  return { sendingMB, openingMB }
}

async function choose(from: Page, name: string): Promise<void> {
  const chooser = from.waitForEvent('filechooser')
  await from.getByRole('button', { name: 'Attach files' }).click()
  const buffer = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(LIMITS.fileBytes - 9)])
  await (await chooser).setFiles([{ name, mimeType: 'application/pdf', buffer }])
  await from.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).waitFor()
  await from.evaluate(() => performance.clearResourceTimings())
}

/** Waits until the server has answered that it has the whole file. Returns the time since the tap. */
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
  const sentMs = at - (await from.evaluate(() => globalThis.pressedAt))
  // The message follows at once, and must not meet what is measured next.
  await from.waitForFunction(
    () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/messages')),
    undefined,
    { timeout: PATIENCE_MS },
  )
  return sentMs
}

async function opened(to: Page): Promise<number> {
  await to.waitForFunction(() => (globalThis.openedAt ?? 0) > globalThis.pressedAt, undefined, { timeout: PATIENCE_MS })
  return await to.evaluate(() => (globalThis.openedAt ?? 0) - globalThis.pressedAt)
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

/** Reads the sealed bytes of the file, as a Blob, as the product does. */
const plainGet = (page: Page, path: string): Promise<number> =>
  page.evaluate(async (address) => {
    const start = performance.now()
    await (await fetch(address, { cache: 'no-store' })).blob()
    return performance.now() - start
  }, path)

/** Runs the work, and looks how many MB the renderer that grows most grows by meanwhile. */
async function grownBy(page: Page, work: () => Promise<void>): Promise<number> {
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
