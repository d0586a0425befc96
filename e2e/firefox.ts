import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import puppeteer, { type ElementHandle, type Page } from 'puppeteer-core'
import { expect } from 'vitest'
import { candidatesOf, type Driver, PATIENCE_MS, type Target } from './driver.ts'
import { pause, type RunningServer } from './server.ts'
import { type Account, type Visitor, visitorBy } from './visitor.ts'
import { watchCalls } from './watchcall.ts'

/** The path of the system's Firefox; undefined where there is none. */
export const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path))

/** A person at Firefox, with what only one test does. */
export interface AtFirefox extends Visitor {
  driver: Driver
  /** Another tab of the same window. */
  tab(): Promise<Driver>
  /** Takes the network away from every tab, or gives it back. */
  isOffline(isOffline: boolean): Promise<void>
}

export interface Firefox {
  /** A person at a browser of their own: a context with its own cookies and storage. */
  person(server: Pick<RunningServer, 'url'>, who: Account & { name: string }): Promise<AtFirefox>
  close(): Promise<void>
}

/** What Tor Browser is like: a private window, noise for the pixels that a page has drawn, no service worker and no WebRTC. */
export const TOR_BROWSER = {
  'browser.privatebrowsing.autostart': true,
  'privacy.resistFingerprinting': true,
  'dom.serviceWorkers.enabled': false,
  'media.peerconnection.enabled': false,
}

export const NO_WEBASSEMBLY = { 'javascript.options.wasm': false }

/** Its safer level: no WebAssembly, and no JIT. */
export const SAFER = {
  ...TOR_BROWSER,
  ...NO_WEBASSEMBLY,
  'javascript.options.ion': false,
  'javascript.options.baselinejit': false,
  'javascript.options.asmjs': false,
  'javascript.options.native_regexp': false,
}

interface Equipment {
  preferences?: Record<string, unknown>
  /** As long as its pages are waited for. */
  patienceMs?: number
}

/** Starts a Firefox with a fake camera and a fake microphone, which every page may use. Its profile goes when it is closed. */
export async function startFirefox(
  path: string,
  { preferences = {}, patienceMs = PATIENCE_MS }: Equipment = {},
): Promise<Firefox> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-saved-'))
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: path,
    timeout: 60_000,
    defaultViewport: { width: 1280, height: 800 },
    extraPrefsFirefox: {
      'media.navigator.streams.fake': true,
      'media.navigator.permission.disabled': true,
      // 2 is the folder of the next line.
      'browser.download.folderList': 2,
      'browser.download.dir': folder,
      // Firefox would open it in a tab above the page, which then waits a second for each frame.
      'pdfjs.disabled': true,
      ...preferences,
    },
  })
  return {
    async person(server, who) {
      const context = await browser.createBrowserContext()
      const tab = async () => byPuppeteer(await context.newPage(), folder, patienceMs)
      const driver = await tab()
      const isOffline = async (offline: boolean) => {
        for (const page of await context.pages()) await page.setOfflineMode(offline)
      }
      return { ...visitorBy(driver, server.url, who), driver, tab, isOffline }
    },
    close: () => browser.close(),
  }
}

/** How often a page is looked at. */
const AGAIN_MS = 50
/** To fill a field again does no harm. */
const FILL_MS = 5000

async function byPuppeteer(page: Page, folder: string, patienceMs: number): Promise<Driver> {
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  // Among these is what broke the Content-Security-Policy. A line that a test takes away is none.
  const complain = (text: string) => !/establish a connection to the server at ws:/.test(text) && complaints.push(text)
  page.on('pageerror', (error) => complain(String(error)))
  page.on('console', (message) => message.type() === 'error' && complain(message.text()))
  await page.evaluateOnNewDocument(watchCalls)
  // Without a sound card Firefox plays what is muted, and refuses the rest. Each sound begins with this event.
  await page.evaluateOnNewDocument(() =>
    document.addEventListener(
      'loadstart',
      ({ target }) => target instanceof HTMLMediaElement && Object.assign(target, { muted: true }),
      true,
    ),
  )
  // To ask Firefox itself for roles and names takes it seconds, each time.
  const look = async (target: Target) => {
    const asked = 'role' in target ? [candidatesOf(target.role), target.name, true] : [target.css, target.text, false]
    const found = await page.evaluateHandle(shown, ...(asked as Parameters<typeof shown>))
    return (found.asElement() as ElementHandle<Element> | null) ?? undefined
  }
  /** Until it is on the screen and the work with it succeeds: what React puts anew meanwhile is looked for again. */
  const withFound = async (target: Target, work: (found: ElementHandle<Element>) => Promise<boolean>) => {
    for (const deadline = Date.now() + patienceMs; ; await pause(AGAIN_MS)) {
      const isLast = Date.now() > deadline
      try {
        const found = await look(target)
        if (found && (await work(found))) return
        if (isLast) throw new Error('Not on the screen, or not to be used')
      } catch (error) {
        if (isLast) throw new Error(JSON.stringify(target), { cause: error })
      }
    }
  }
  const press = async (target: Target) => {
    // Behind another tab a page gets its frames at intervals that double, and rest is seen by frames.
    await page.bringToFront()
    await withFound(target, async (found) => {
      await found.scrollIntoView()
      if (!(await found.evaluate(rests))) return false
      await found.click()
      return true
    })
  }
  const type = async (label: string, text: string) => {
    await page.bringToFront()
    await withFound({ role: 'textbox', name: label }, async (found) => {
      await found.asLocator().setTimeout(FILL_MS).fill(text)
      return await found.evaluate((field, typed) => field.isConnected && (field as HTMLInputElement).value === typed, text)
    })
  }
  return {
    complaints,
    open: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    press,
    type,
    sees: (target) => withFound(target, async () => true),
    misses: (target) =>
      expect
        .poll(() => look(target).catch(() => 'the page is left'), { message: JSON.stringify(target), timeout: patienceMs })
        .toBeUndefined(),
    async chooses(target, path) {
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(target)])
      await chooser.accept([path])
    },
    async gives(css, path) {
      await page.waitForSelector(css)
      const base64 = (await readFile(path)).toString('base64')
      await page.evaluate(
        (field, name, text) => {
          const given = new DataTransfer()
          given.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name))
          const input = document.querySelector<HTMLInputElement>(field)
          if (!input) throw new Error('The field is gone')
          input.files = given.files
          input.dispatchEvent(new Event('change', { bubbles: true }))
        },
        css,
        basename(path),
        base64,
      )
    },
    async saves(target, name) {
      await press(target)
      const path = join(folder, name)
      // Firefox makes an empty file of this name first, and writes into another.
      await expect.poll(() => existsSync(path) && statSync(path).size > 0, { timeout: patienceMs }).toBe(true)
      const bytes = await readFile(path)
      await rm(path)
      return bytes
    },
    asks: (question) => page.evaluate(question),
    close: () => page.browserContext().close(),
  }
}

/** Runs in the page: whether it may be pressed where it stands. */
async function rests(one: Element): Promise<boolean> {
  const place = () => JSON.stringify(one.getBoundingClientRect())
  const before = place()
  for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  return one.isConnected && !one.matches(':disabled') && place() === before
}

/** Runs in the page: the first on the screen that has the text, or whose whole name it is. */
function shown(selector: string, text: string | undefined, isName: boolean): Element | undefined {
  const wordsOf = (one: Element | null) => {
    const copy = one?.cloneNode(true) as Element | undefined
    for (const hidden of copy?.querySelectorAll('[aria-hidden="true"]') ?? []) hidden.remove()
    return copy?.textContent?.replace(/\s+/g, ' ').trim() ?? ''
  }
  const nameOf = (one: Element) => {
    const ids = one.getAttribute('aria-labelledby')?.split(' ')
    const labels = ids?.map((id) => document.getElementById(id)) ?? [...((one as HTMLInputElement).labels ?? [])]
    return one.getAttribute('aria-label') ?? (labels.map(wordsOf).join(' ') || wordsOf(one))
  }
  const inFront = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement
  const isMeant = (one: Element) =>
    isName ? nameOf(one) === text && inFront.contains(one) : one.textContent?.includes(text ?? '')
  const isOnScreen = (one: Element) => one.checkVisibility({ visibilityProperty: true })
  return [...document.querySelectorAll(selector)].find((one) => isOnScreen(one) && isMeant(one))
}
