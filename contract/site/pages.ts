/**
 * The pages of the client by address, with their files in the built client. `/` is also the page of every address that is not in the
 * table; a page counts for its own address alone, and null, which means no page, for all below it too. The server answers by this table,
 * and so does the service worker, without it.
 */
export const PAGES: Readonly<Record<string, string | null>> = {
  '/': 'index.html',
  '/.well-known': null,
  '/api': null,
  '/assets': null,
  '/objects': null,
  '/s3': null,
  '/sandbox': null,
  '/security': 'security.html',
  '/security/notices': 'notices.html',
  '/security/protocol': 'protocol.html',
  '/security/threat-model': 'threat-model.html',
  '/security/verify': 'verify.html',
  '/ws': null,
}

/** The key of `PAGES` whose page an address shows; null if it shows none. `address` is a decoded path without query. */
export function pageOf(address: string): string | null {
  // A last segment with a dot is a missing file, never a page.
  if (/\.[^/]*$/.test(address)) return null
  if (typeof PAGES[address] === 'string') return address
  const segments = address.split('/').slice(1)
  const isShut = segments.some((_, at) => PAGES[`/${segments.slice(0, at + 1).join('/')}`] === null)
  return isShut ? null : '/'
}
