import { existsSync } from 'node:fs'
import { type BrowserContext, chromium } from 'playwright-core'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
// Nothing that weakens the page's own rules: no --disable-web-security, no --single-process.
export const BROWSER_WORDS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The system's Chromium, else the one that npm brings. */
export async function browserPath(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path))
  if (installed) return installed
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}

/** A browser with its profile in a folder on disk: a person's computer. `words` come to its command line. */
export async function openBrowser(profile: string, words: string[] = []): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: await browserPath(),
    headless: true,
    args: [...BROWSER_WORDS, ...words],
    viewport: { width: 1280, height: 800 },
  })
}
