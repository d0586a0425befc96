import type { BrowserContext } from 'playwright-core'
import { openBrowser } from './browser.ts'

/** Opens a Chromium that knows no way but this SOCKS proxy. */
export const openOnionBrowser = (
  profile: string,
  socksPort: number,
  onionUrl: string,
  words: string[] = [],
): Promise<BrowserContext> =>
  openBrowser(profile, [
    `--proxy-server=socks5://127.0.0.1:${socksPort}`,
    // Addresses of this machine too.
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    // Unlike Tor Browser it takes an onion service for no secure context, so there would be no `crypto.subtle`.
    `--unsafely-treat-insecure-origin-as-secure=${onionUrl}`,
    ...words,
  ])

/** What a Tor Browser sets. */
export const torPreferences = (socksPort: number): Record<string, unknown> => ({
  'network.proxy.type': 1,
  'network.proxy.socks': '127.0.0.1',
  'network.proxy.socks_port': socksPort,
  'network.proxy.socks_remote_dns': true,
  'network.proxy.socks5_remote_dns': true,
  'network.proxy.allow_hijacking_localhost': true,
  'network.dns.blockDotOnion': false,
  'dom.securecontext.allowlist_onions': true,
})
