import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { flowBare, startBareServer } from '../e2e/barecall.ts'
import { DEVICE_WORDS, openBrowser } from '../e2e/browser.ts'
import { hidesAddress } from '../e2e/screen.ts'
import { startServer } from '../e2e/server.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { grownBy } from './pageuploads.ts'
import { type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { meet } from './tap.ts'

const PATIENCE_MS = 300_000
const MB = 1e6

declare global {
  /** ms from the first bytes until the file can be opened. */
  var moving: Promise<number> | undefined
}

interface Pair {
  from: Page
  to: Page
}

interface Speeds {
  ours: number[]
  bare: number[]
}

/**
 * Measures a file from browser to browser beside a bare data channel in the same two browsers, in turn: 16 KiB a message, the same
 * back-pressure. From the first bytes that come to the file that was checked and can be opened, so hash and disk are in it. Memory is
 * looked at in rounds of its own, because each look stops the process.
 */
export async function measureTransfers({ isQuick }: Ground): Promise<Row[]> {
  const [rounds, sizeBytes, weighedBytes] = isQuick ? [1, 10 * MB, 10 * MB] : [5, 50 * MB, 99 * MB]
  const [server, bareServer] = [await startServer({ LOG_LEVEL: 'warn' }), await startBareServer()]
  const browsers = [await openCalling(), await openCalling()] as const
  const [relayed, direct] = [newSpeeds(), newSpeeds()]
  const sending: number[] = []
  const receiving: number[] = []
  const folder = scratchFolder('transfers')
  let files = 0
  const newFile = (bytes = sizeBytes) => {
    const name = `${files++}.bin`
    const path = join(folder, name)
    writeFileSync(path, randomBytes(bytes))
    return { name, path }
  }
  try {
    const [from, to] = browsers.map((browser) => browser.pages()[0]) as [Page, Page]
    await meet(server, from, to)
    for (const page of [from, to]) await hidesAddress(page, true)
    const pair = { from, to }
    const round = async (speeds: Speeds, config: RTCConfiguration | undefined) => {
      speeds.bare.push(await speedBare(browsers, bareServer.url, { sizeBytes, ...(config && { config }) }))
      speeds.ours.push(sizeBytes / (await send(pair, newFile())))
    }
    // The first one loads the code and warms up the browsers.
    for (let at = 0; at <= (isQuick ? 1 : 2); at++) await round(relayed, await relayOf(from))
    for (const page of [from, to]) {
      await hidesAddress(page, false)
      await page.evaluate(() => localStorage.setItem('call-address', '1'))
    }
    for (let at = 0; at <= rounds; at++) await round(direct, undefined)
    for (let at = 0; at < (isQuick ? 1 : 3); at++) {
      const file = newFile(weighedBytes)
      let received = 0
      sending.push(
        await grownBy(from, async () => {
          received = await grownBy(to, async () => void (await send(pair, file)))
        }),
      )
      receiving.push(received)
    }
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()))
    await bareServer.close()
    await server.stop()
  }
  const [size, weighed] = [sizeBytes, weighedBytes].map((bytes) => `${bytes / MB} MB`)
  const beside = (name: string, { ours, bare }: Speeds) => {
    const [own, other] = [median(ours.slice(1)), median(bare.slice(1))]
    const note = `${perSecond(own)}; a bare data channel ${perSecond(other)}`
    return row('transfers', name, own / other, 'x', { atLeast: 0.7, note })
  }
  const note = 'PSS of its process over that before, page and worker together'
  return [
    beside(`${size} directly from browser to browser, against a bare data channel`, direct),
    beside(`${size} through the relay of the development server, against a bare data channel through it`, relayed),
    row('transfers', `memory of a browser that sends ${weighed} directly`, median(sending), 'MB', { atMost: 64, note }),
    row('transfers', `memory of a browser that receives ${weighed} directly`, median(receiving), 'MB', { atMost: 64, note }),
  ]
}

const newSpeeds = (): Speeds => ({ ours: [], bare: [] })
const perSecond = (bytesPerMs: number) => `${((bytesPerMs * 1000) / MB).toFixed(1)} MB/s`
const openCalling = () => openBrowser(scratchFolder('browser'), DEVICE_WORDS)

const relayOf = (page: Page): Promise<RTCConfiguration> =>
  page.evaluate(async () => {
    const { iceServers } = await (await fetch('/api/turn')).json()
    return { iceServers, iceTransportPolicy: 'relay' as const }
  })

/** Returns ms. */
async function send({ from, to }: Pair, { name, path }: { name: string; path: string }): Promise<number> {
  await from.getByRole('button', { name: 'Attach files' }).click()
  const dialog = from.getByRole('dialog')
  await from.getByRole('menuitem', { name: 'Send directly, up to 100 MB' }).click()
  await dialog.getByLabel('Files to send directly').setInputFiles(path)
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const accept = to.getByRole('button', { name: `Accept ${name}` })
  await accept.waitFor({ timeout: PATIENCE_MS })
  await to.evaluate((file) => {
    let movedAt = 0
    globalThis.moving = new Promise((resolve) => {
      const lines = new MutationObserver(() => {
        const bar = document.querySelector<HTMLProgressElement>(`progress[aria-label^="${file}"]`)
        if (bar && bar.value > 0) movedAt ||= performance.now()
        if (!document.querySelector(`[aria-label="Save ${file}"]`)) return
        resolve(performance.now() - movedAt)
        lines.disconnect()
      })
      lines.observe(document.body, { childList: true, subtree: true, attributes: true })
    })
  }, name)
  await accept.click()
  // Waiting by frames, as waitForFunction does, would draw the page sixty times a second.
  const ms = await to.evaluate(() => globalThis.moving)
  await from.locator('.transfer-line', { hasText: name }).getByText('Sent, whole and unchanged').waitFor({ timeout: PATIENCE_MS })
  if (ms === undefined) throw new Error('The page was left')
  return ms
}

async function speedBare(
  browsers: readonly BrowserContext[],
  url: string,
  settings: { sizeBytes: number; config?: RTCConfiguration },
): Promise<number> {
  const pages = await Promise.all(browsers.map((browser) => browser.newPage()))
  for (const page of pages) await page.goto(url)
  const [from, to] = pages as [Page, Page]
  const ms = await flowBare(from, to, settings)
  await Promise.all(pages.map((page) => page.close()))
  return settings.sizeBytes / ms
}
