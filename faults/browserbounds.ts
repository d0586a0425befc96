import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { newDice } from '../walks/walk.ts'
import { pause } from './clients.ts'
import { checkScene } from './crashcheck.ts'
import { bobSays, closeScene, fieldOf, keepsFailed, newScene, newText, type Scene, signsInAgain } from './crashscene.ts'
import { mountDisk, takeSpace, unmountDisk } from './diskfull.ts'
import { type Form, type Outcome, seconds } from './fault.ts'
import { type Accuse, emptyVerdict } from './law.ts'
import { now } from './recorder.ts'
import { type SpentKeys, watchKeys } from './senderdata.ts'

const PROFILE_MB = 256
/** Long enough for a page that goes on by itself. */
const OFFER_MS = 5000
const TWO_DAYS_MS = 2 * 86_400_000

/** Fills the disk below the browser's profile: what was acknowledged stays, and all goes on once there is room again. */
export async function browserDiskFull({ isShort, seed = 1 }: Form): Promise<Outcome> {
  const disk = mountDisk(PROFILE_MB)
  try {
    return await atScene(seed, disk, isShort ? 2 : 6, async (scene) => {
      const [page] = scene.open.tabs
      const filler = path.join(disk, 'filler')
      takeSpace(disk, filler, 0)
      // The page says that it cannot keep what is typed now.
      await fieldOf(page).fill(newText(scene, 'Alice', false))
      await fieldOf(page).press('Enter')
      for (let count = 0; count < 3; count++) await bobSays(scene)
      await pause(1000)
      rmSync(filler)
      // What could not be kept is fetched again when the person asks for it.
      for (const tab of scene.open.tabs) await triesAgain(scene, tab)
      await signsInAgain(scene)
    })
  } finally {
    unmountDisk(disk)
  }
}

/** Presses what the page offers, and loads it anew where it offers nothing. */
async function triesAgain({ written }: Scene, page: Page): Promise<void> {
  const newest = page.locator('.bub', { hasText: [...written.keys()].at(-1) ?? '' }).first()
  const button = page.getByRole('button', { name: 'Try again' })
  await newest
    .or(button)
    .waitFor({ timeout: OFFER_MS })
    .catch(() => page.reload())
  if (await button.isVisible()) await button.click()
}

/** The clock of a browser jumps by two days, in its pages, their workers and the service worker, to either side and back. */
export async function browserClock({ seed = 1 }: Form): Promise<Outcome> {
  const jumps = [TWO_DAYS_MS, -TWO_DAYS_MS, 0]
  let script = shift(0)
  return await atScene(seed, undefined, 2 * jumps.length, async (scene, round) => {
    const { context, tabs } = scene.open
    if (round === 0) for (const page of tabs) page.on('worker', (worker) => void worker.evaluate(script).catch(() => undefined))
    script = shift(jumps[Math.floor(round / 2)] ?? 0)
    await context.addInitScript(script)
    for (const page of tabs) await page.evaluate(script)
    for (const worker of [...tabs.flatMap((page) => page.workers()), ...context.serviceWorkers()]) await worker.evaluate(script)
    // The jump comes while the pages are open, and then before they are loaded.
    if (round % 2 === 1) await Promise.all(tabs.map((page) => page.reload()))
    await bobSays(scene)
  })
}

/** Sets the clock of a page or a worker to so many ms from the true time. */
const shift = (ms: number): string => `(() => {
  const Real = (globalThis.TrueDate ??= Date)
  const now = () => Real.now() + ${ms}
  globalThis.Date = new Proxy(Real, {
    construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now()]),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
})()`

/** Does it so many times to Alice's browser, and looks after each time whether all is there, once. */
async function atScene(
  seed: number,
  folder: string | undefined,
  rounds: number,
  work: (scene: Scene, round: number) => Promise<void>,
): Promise<Outcome> {
  const scene = await newScene(newDice(seed), folder)
  const verdict = emptyVerdict()
  const complaints: string[] = []
  const startedAt = now()
  let round = 0
  const accuse: Accuse = (breach, words) => void verdict[breach].push(`time ${round + 1}: ${words}`)
  try {
    const keys: SpentKeys = await watchKeys(scene.bob, scene.chatRoomId, scene.alice.id)
    await checkScene(scene, keys, accuse)
    for (; round < rounds; round++) {
      await work(scene, round)
      await checkScene(scene, keys, accuse)
    }
  } catch (error) {
    complaints.push(`time ${round + 1}: ${error instanceof Error ? error.stack : error}\n${await keepsFailed(scene)}`)
  } finally {
    await closeScene(scene)
  }
  return {
    faults: round,
    summary: `${round} times, ${scene.written.size} texts in ${seconds(now() - startedAt)}`,
    ...{ complaints, verdict, operations: scene.written.size },
  }
}
