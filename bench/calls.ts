import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { callBare, startBareServer } from '../e2e/barecall.ts'
import { DEVICE_WORDS, openBrowser } from '../e2e/browser.ts'
import { hidesAddress } from '../e2e/screen.ts'
import { startServer } from '../e2e/server.ts'
import { type Flow, flowOf } from '../e2e/watchcall.ts'
import type { Ground } from './ground.ts'
import { median, sum } from './numbers.ts'
import { cpuMsOf, pause } from './program.ts'
import { type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { meet } from './tap.ts'

const PATIENCE_MS = 30_000
/** The first seconds of a call search for their quality. */
const SETTLE_MS = 4000

interface Call {
  audioMs: number
  frameMs: number
  /** Processor time of both browsers, of a second of the call and of a picture that was shown. */
  cpu: number
  cpuOfPicture: number
}

interface Pair {
  caller: Page
  callee: Page
}

/**
 * Measures a video call beside two bare RTCPeerConnections in the same two browsers, in turn, both through the same relay: from Accept,
 * which opens the callee's devices too, to what each end hears and sees first, and the processor time that it takes from then on.
 */
export async function measureCalls({ isQuick }: Ground): Promise<Row[]> {
  const [rounds, watchMs] = isQuick ? [1, 2000] : [5, 6000]
  const [server, bareServer] = [await startServer({ LOG_LEVEL: 'warn' }), await startBareServer()]
  const browsers = [await openWatched(), await openWatched()]
  const ours: Call[] = []
  const bare: Call[] = []
  const bytes: number[] = []
  try {
    const [caller, callee] = browsers.map((browser) => browser.pages()[0]) as [Page, Page]
    await meet(server, caller, callee)
    for (const page of [caller, callee]) await hidesAddress(page, true)
    const signals = [await countFrames(caller), await countFrames(callee)]
    const bytesOf = () => sum(signals.map(({ bytes }) => bytes))
    for (let round = 0; round <= rounds; round++) {
      bare.push(await inPages(browsers, bareServer.url, async (pair) => callPlain(pair, await relayOf(caller), watchMs)))
      const before = bytesOf()
      ours.push(await callOurs({ caller, callee }, watchMs, () => bytes.push(bytesOf() - before)))
    }
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()))
    await bareServer.close()
    await server.stop()
  }
  // The first round loads the code of calls and warms up the browsers.
  const of = (calls: Call[], pick: keyof Call) => median(calls.slice(1).map((one) => one[pick]))
  const beside = (name: string, pick: keyof Call, atMost: number, unit: string, digits = 0) =>
    row('calls', name, of(ours, pick) / of(bare, pick), 'x', {
      atMost,
      note: `${of(ours, pick).toFixed(digits)} ${unit}; a bare RTCPeerConnection ${of(bare, pick).toFixed(digits)} ${unit}`,
    })
  return [
    beside('Accept to the first sound at both ends, against a bare RTCPeerConnection', 'audioMs', 1.5, 'ms'),
    beside('Accept to the first picture at both ends, against a bare RTCPeerConnection', 'frameMs', 1.5, 'ms'),
    beside('processor time of a video call, both browsers, against a bare RTCPeerConnection', 'cpu', 1.2, 'cores', 2),
    beside('the same for a picture shown', 'cpuOfPicture', 1.2, 'ms', 1),
    row(
      'calls',
      'frames of the live socket of a video call, both ends, from the ring to the first picture',
      median(bytes.slice(1)) / 1000,
      'kB',
    ),
  ]
}

const openWatched = () => openBrowser(scratchFolder('browser'), DEVICE_WORDS)

async function inPages<R>(
  browsers: Awaited<ReturnType<typeof openWatched>>[],
  url: string,
  work: (pair: Pair) => Promise<R>,
): Promise<R> {
  const pages = await Promise.all(browsers.map((browser) => browser.newPage()))
  for (const page of pages) await page.goto(url)
  const [caller, callee] = pages as [Page, Page]
  const result = await work({ caller, callee })
  await Promise.all(pages.map((page) => page.close()))
  return result
}

const relayOf = (page: Page): Promise<RTCConfiguration> =>
  page.evaluate(async () => {
    const { iceServers } = await (await fetch('/api/turn')).json()
    return { iceServers, iceTransportPolicy: 'relay' as const }
  })

async function callPlain(pair: Pair, config: RTCConfiguration, watchMs: number): Promise<Call> {
  const from = await callBare(pair.caller, pair.callee, { config, hasVideo: true })
  return watch(pair, from, watchMs)
}

async function callOurs({ caller, callee }: Pair, watchMs: number, onSeen: () => void): Promise<Call> {
  await caller.getByRole('button', { name: 'Video call' }).first().click()
  const accept = callee.getByRole('button', { name: 'Accept', exact: true })
  await accept.waitFor()
  // Of the call before, whose connection is gone and the next one not yet made.
  for (const page of [caller, callee])
    await page.evaluate(() => globalThis.watched && Object.assign(globalThis.watched, { audioAt: 0, frameAt: 0 }))
  await callee.evaluate(() =>
    document.addEventListener(
      'click',
      ({ timeStamp }) => Object.assign(globalThis, { tappedAt: performance.timeOrigin + timeStamp }),
      {
        capture: true,
        once: true,
      },
    ),
  )
  await accept.click()
  const from = await callee.evaluate(() => globalThis.tappedAt)
  const call = await watch({ caller, callee }, from, watchMs, onSeen)
  await caller.getByRole('button', { name: 'End', exact: true }).click()
  for (const page of [caller, callee]) await page.locator('.call').waitFor({ state: 'detached' })
  return call
}

async function watch({ caller, callee }: Pair, from: number, watchMs: number, onSeen?: () => void): Promise<Call> {
  const pages = [caller, callee]
  for (const page of pages)
    await page.waitForFunction(
      () => Math.min(globalThis.watched?.audioAt ?? 0, globalThis.watched?.frameAt ?? 0) > 0,
      undefined,
      {
        timeout: PATIENCE_MS,
      },
    )
  onSeen?.()
  const times = await Promise.all(
    pages.map((page) => page.evaluate(() => [globalThis.watched?.audioAt ?? 0, globalThis.watched?.frameAt ?? 0] as const)),
  )
  await pause(SETTLE_MS)
  const pids = browserPids()
  const shown = async () =>
    sum((await Promise.all(pages.map((page): Promise<Flow> => page.evaluate(flowOf)))).map(({ framesDecoded }) => framesDecoded))
  const [cpuBefore, shownBefore, at] = [sum(pids.map(cpuMsOf)), await shown(), performance.now()]
  await pause(watchMs)
  const [cpuMs, pictures, ms] = [sum(pids.map(cpuMsOf)) - cpuBefore, (await shown()) - shownBefore, performance.now() - at]
  return {
    audioMs: Math.max(...times.map(([audio]) => audio)) - from,
    frameMs: Math.max(...times.map(([, frame]) => frame)) - from,
    cpu: cpuMs / ms,
    cpuOfPicture: cpuMs / pictures,
  }
}

/** Every process below this one that is a Chromium's. */
function browserPids(): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const [, parent] = (readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ')
      parents.set(Number(name), Number(parent))
    } catch {
      // It has ended since.
    }
  }
  const isBelow = (pid: number): boolean => pid === process.pid || (parents.has(pid) && pid > 1 && isBelow(parents.get(pid) ?? 0))
  return [...parents.keys()].filter((pid) => isBelow(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('chrom'))
}

/** Counts what goes over the live sockets of the page, both ways. */
async function countFrames(page: Page): Promise<{ bytes: number }> {
  const session = await page.context().newCDPSession(page)
  const counted = { bytes: 0 }
  const count = ({ response }: { response: { payloadData: string } }) => {
    counted.bytes += response.payloadData.length
  }
  session.on('Network.webSocketFrameSent', count)
  session.on('Network.webSocketFrameReceived', count)
  await session.send('Network.enable')
  return counted
}
