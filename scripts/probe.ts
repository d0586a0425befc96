import { PAGES } from '../contract/site/pages.ts'
import { inlineFaults, loadedBy, tagsOf } from './html.ts'
import { type WebcatManifest, wasmOf } from './manifest.ts'
import { type Answer, bytesFaults, headerFaults, manifestFaults } from './webcat.ts'

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Asks a server, and does not follow a redirect. */
export type Ask = (address: string, asked?: Asked) => Promise<Answer>

/** Asks the server at an origin such as `https://chat.example.org`. */
export const askAt =
  (origin: string): Ask =>
  async (address, { method = 'GET', headers = {}, body } = {}) => {
    const answer = await fetch(origin + address, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
  }

/** Answers that are no page and no file: they may have any bytes, but not any headers. */
const OTHERS: [string, Asked][] = [
  ['/api/health', {}],
  ['/api/user', {}],
  ['/api/nothing-here', {}],
  ['/api/login', { method: 'GET' }],
  ['/api/login', { method: 'POST', body: '{"username": 1', headers: { 'content-type': 'application/json' } }],
  ['/api/login', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', origin: 'https://evil.example' } }],
  ['/api/messages', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
  ['/api/messages/%zz', {}],
  ['/assets/gone.js', {}],
  ['/gone.png', {}],
  ['/objects/gone', {}],
  ['/s3/params', {}],
  ['/s3/sts', {}],
  ['/ws', {}],
  ['/.well-known/webcat/enrollment.json', {}],
  ['/.well-known/webcat/bundle.json', {}],
  ['/.well-known/gone', {}],
  ['/', { method: 'HEAD' }],
  ['/', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
]

/** Addresses deep in the app, which every page of it may be loaded from. */
const DEEP = ['/chat/with-bob', '/settings?tab=security', '/nowhere']

/** Visitors who must all get the same bytes. */
const VISITORS: Record<string, string>[] = [
  {},
  { 'accept-language': 'de', 'user-agent': 'another browser' },
  { cookie: 'conclave_session=x; __Host-conclave_session=x', 'accept-encoding': 'identity' },
]

/**
 * Asks a live server for its pages, every file of the manifest, and answers of every other kind, and says what of it breaks a rule of
 * WEBCAT. Each fault names the address.
 */
export async function probe(ask: Ask, manifest: WebcatManifest): Promise<string[]> {
  const faults = manifestFaults(manifest).map((fault) => `manifest: ${fault}`)
  const note = (address: string, found: string[]) => faults.push(...found.map((fault) => `${address}: ${fault}`))
  const wasm = new Set(manifest.wasm)

  const pages = [...Object.entries(PAGES).flatMap(([address, file]) => (file === null ? [] : [address])), ...DEEP]
  for (const address of pages) {
    const path = address.split('?')[0] ?? ''
    for (const headers of VISITORS) {
      const answer = await ask(address, { headers: { ...headers, 'sec-fetch-dest': 'document' } })
      note(address, [
        ...headerFaults(manifest, path, answer, true),
        ...(isLed(answer) ? [] : bytesFaults(manifest, path, answer)),
      ])
      if (headers === VISITORS[0]) note(address, pageFaults(manifest, new TextDecoder().decode(answer.bytes)))
    }
  }
  for (const address of Object.keys(manifest.files)) {
    // The index stands at `/`, and under its own name nowhere.
    if (address === `/${manifest.default_index}`) continue
    const answer = await ask(encodeURI(address))
    note(address, [...headerFaults(manifest, address, answer, false), ...bytesFaults(manifest, address, answer)])
    for (const hash of wasmOf(address, answer.bytes)) if (!wasm.has(hash)) note(address, ['it has WebAssembly of no manifest'])
  }
  for (const [address, asked] of OTHERS) note(address, headerFaults(manifest, address, await ask(address, asked), false))
  return [...new Set(faults)]
}

const isLed = ({ status }: Answer): boolean => status >= 300 && status < 400

/** What is wrong inside of a page: anything inline, and whatever it loads that is in no manifest or without its hash. */
function pageFaults({ files }: WebcatManifest, html: string): string[] {
  const loads = tagsOf(html).flatMap((tag) => {
    const address = loadedBy(tag)
    if (address === undefined) return []
    if (files[address] === undefined) return [`it loads ${address}, which is in no manifest`]
    return tag.attributes['integrity'] ? [] : [`it loads ${address} without its integrity`]
  })
  return [...inlineFaults(html).map((fault) => `it has ${fault}`), ...loads]
}
