import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
// No flag may weaken the browser's security: no --disable-web-security, no --single-process.
export const BROWSER_WORDS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of the system's Chromium, or else of the one that npm brings. */
export async function browserPath(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path))
  if (installed) return installed
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}

const VIEWPORT = { width: 1280, height: 800 }
let shared: Promise<Browser> | undefined

/**
 * Opens a person's browser: a context with its own cookies, storage and network in the one Chromium of a test file. `address` is the
 * IP address that a server behind one proxy sees; without it all contexts share this machine's.
 */
export async function openContext(address?: string): Promise<BrowserContext> {
  shared ??= browserPath().then((executablePath) => chromium.launch({ executablePath, headless: true, args: BROWSER_WORDS }))
  return (await shared).newContext({
    viewport: VIEWPORT,
    ...(address && { extraHTTPHeaders: { 'x-forwarded-for': address } }),
  })
}

export async function closeContexts(): Promise<void> {
  await (await shared)?.close()
  shared = undefined
}

/** Opens a browser with its profile in a folder on disk. `words` are added to its command line. */
export async function openBrowser(profile: string, words: string[] = []): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: await browserPath(),
    headless: true,
    args: [...BROWSER_WORDS, ...words],
    viewport: VIEWPORT,
  })
}
