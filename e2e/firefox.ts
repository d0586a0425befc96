import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer from 'puppeteer-core'
import { type Driver, PATIENCE_MS } from './driver.ts'
import { byPuppeteer } from './puppeteer.ts'
import type { RunningServer } from './server.ts'
import { type Account, type Visitor, visitorBy } from './visitor.ts'

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
