import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { watchCalls } from './watchcall.ts'

const WINDOWED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
/** The first one is Chromium without windows and notifications: the same engine in a sixth less of the tests' time. */
const SYSTEM = ['/usr/bin/chromium-headless-shell', ...WINDOWED]
/** A page that hangs gives no answer. */
const TELL_MS = 2000
/** A second `--disable-features` replaces Playwright's own, so what of it calls the network or changes a page stands here again. */
const OFF = [
  'AimEnabled',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'ThirdPartyStoragePartitioning',
  // A process that waits for the next page, and is thrown away with each context: a twentieth of what opening one costs.
  'SpareRendererForSitePerProcess',
  // Each window's address bar is a page of the browser's own, with a process that takes a twentieth of a test's processor time.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]
// No flag may weaken the browser's security: no --disable-web-security, no --single-process.
export const BROWSER_WORDS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${OFF.join(',')}`,
]

/**
 * Cameras, microphones and a tab to share, which every page may use. The second camera gives depth, which nobody sees. Two pages also find
 * each other without a network.
 */
export const DEVICE_WORDS = [
  '--use-fake-device-for-media-stream=device-count=3,display-media-type=browser',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

/** The path of the system's Chromium, or else of the one that npm brings. */
export async function browserPath(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path))
  if (installed) return installed
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}

/** The path of a Chromium as people have it, which shows notifications and writes a whole profile, where there is one. */
export const windowedPath = async (): Promise<string> => WINDOWED.find((path) => existsSync(path)) ?? (await browserPath())

const VIEWPORT = { width: 1280, height: 800 }
type Shared = 'plain' | 'filming' | 'notified'
/** The one Chromium of this worker, the one with devices, and the one with notifications. They end with the worker's process. */
const shared: Record<Shared, Promise<Browser> | undefined> = { plain: undefined, filming: undefined, notified: undefined }
/** Contexts that this test file has opened in it. */
const contexts: BrowserContext[] = []

/** What pages of this test file have done against the Content-Security-Policy. */
const violations: string[] = []

/** Returns the violations so far and forgets them, for a test that plants one. */
export const takeViolations = (): string[] => violations.splice(0)

/** Exceptions and rejections that nobody has caught in any page of this test file. */
const uncaught: string[] = []

/** Returns these and forgets them, for a test that provokes one. */
export const takeUncaught = (): string[] => uncaught.splice(0)

/** Fails where a page has left an error uncaught. */
export function expectNoneUncaught(): void {
  const errors = takeUncaught()
  if (errors.length > 0) throw new Error(`A page left an error uncaught: ${errors.join('; ')}`)
}

async function launch(kind: Shared): Promise<Browser> {
  const args = kind === 'filming' ? [...BROWSER_WORDS, ...DEVICE_WORDS] : BROWSER_WORDS
  const executablePath = await (kind === 'notified' ? windowedPath() : browserPath())
  const browser = await chromium.launch({ executablePath, headless: true, args })
  // One that has crashed does not serve the next test.
  browser.once('disconnected', () => {
    shared[kind] = undefined
  })
  return browser
}

async function watchPages(context: BrowserContext): Promise<BrowserContext> {
  await context.exposeFunction('tellViolation', (text: string) => void violations.push(text))
  await context.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      Reflect.get(globalThis, 'tellViolation')(`${effectiveDirective} ${blockedURI} ${sample}`),
    ),
  )
  // The browser itself says it of workers.
  context.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text())
  })
  // `tsx`, which runs the bench, names functions by it.
  await context.addInitScript('globalThis.__name = (one) => one')
  await context.addInitScript(watchCalls)
  context.on('weberror', (error) => uncaught.push(error.error().message))
  return context
}

/**
 * Opens a person's browser: a context with its own cookies, storage and network in the one Chromium of a worker. `address` is the
 * IP address that a server behind one proxy sees; without it all contexts share this machine's. It asks for less motion, which a test
 * would wait for: `openBrowser` does not. `hasDevices`: it can call. `isNotified`: its system shows notifications.
 */
export async function openContext(address?: string, { hasDevices = false, isNotified = false } = {}): Promise<BrowserContext> {
  const kind = hasDevices ? 'filming' : isNotified ? 'notified' : 'plain'
  shared[kind] ??= launch(kind)
  const context = await (await shared[kind]).newContext({
    viewport: VIEWPORT,
    reducedMotion: 'reduce',
    ...(address && { extraHTTPHeaders: { 'x-forwarded-for': address } }),
  })
  contexts.push(context)
  return watchPages(context)
}

/** Writes where each page stands, for whoever looks why a test failed. */
export async function tellPages(): Promise<void> {
  for (const page of contexts.flatMap((context) => context.pages())) {
    const shows = page.locator('body').ariaSnapshot({ timeout: TELL_MS }).catch(String)
    const focus = page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200)).catch(String)
    const told = await Promise.race([Promise.all([focus, shows]), pause(2 * TELL_MS)])
    process.stderr.write(`${page.url()}\n${told?.join('\n').slice(0, 4000) ?? 'It does not answer'}\n\n`)
  }
}

/** Closes what this test file has opened. Fails where a page broke the policy or left an error uncaught. */
export async function closeContexts(): Promise<void> {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  const [violation] = takeViolations()
  if (violation) throw new Error(`A page broke the policy: ${violation}`)
  expectNoneUncaught()
}

/**
 * Opens a browser with its profile in a folder on disk. `words` are added to its command line. `program`: another than
 * `windowedPath` that starts it.
 */
export async function openBrowser(profile: string, words: string[] = [], program?: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: program ?? (await windowedPath()),
    headless: true,
    args: [...BROWSER_WORDS, ...words],
    viewport: VIEWPORT,
  })
  return watchPages(context)
}
