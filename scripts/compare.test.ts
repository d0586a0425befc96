import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { BUILD_ADDRESS, RELEASE_ADDRESS } from '../contract/site/addresses.ts'
import type { Build } from '../contract/site/build.ts'
import { PAGES } from '../contract/site/pages.ts'
import { startWorld } from '../server/testing/world.ts'
import { compare } from './compare.ts'
import { inlineFaults } from './html.ts'
import { withIntegrity } from './integrity.ts'
import { describe } from './manifest.ts'
import { type Ask, askAt } from './probe.ts'
import { newSigner } from './signing.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'conclave-compare-'))
const [clientFolder, releaseFolder] = [path.join(folder, 'client'), path.join(folder, 'release')]
mkdirSync(path.join(clientFolder, 'assets'), { recursive: true })
const PAGE_FILES = Object.values(PAGES).filter((file) => file !== null)
for (const [name, text] of Object.entries({
  ...Object.fromEntries(PAGE_FILES.map((file) => [file, `<p>${file}</p>`])),
  'index.html': '<script src="/assets/a-1.js"></script>',
  'assets/a-1.js': 'first',
  'assets/b-1.js': 'second',
  'favicon.svg': '<svg/>',
  'sw.js': 'worker',
}))
  writeFileSync(path.join(clientFolder, name), text)
const compressed = path.join(clientFolder, 'assets/b-1.js.br')
writeFileSync(compressed, brotliCompressSync('second'))
const local: Build = describe(clientFolder, '1.2.3')
writeFileSync(path.join(clientFolder, 'build.json'), JSON.stringify(local))
afterAll(() => rmSync(folder, { recursive: true }))

const world = await startWorld({ clientFolder, releaseFolder })
const ask = askAt(world.url)
const [operator, thief] = [newSigner(), newSigner()]

/** The operator puts a document into the release folder. */
function publishes(name: string, document: unknown): void {
  const file = path.join(releaseFolder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(document))
}

test('a server that hands out what these sources make is found to be the same', async () => {
  expect(await compare(ask, local)).toEqual({ build: local, signedBy: null, faults: [] })
})

test('one flipped byte in any file is found, and named, whichever it is', async () => {
  const addresses = [...Object.keys(local.files), '/sw.js']
  const pages = Object.keys(PAGES).filter((address) => PAGES[address] !== null)
  expect(new Set(addresses)).toEqual(new Set(['/assets/a-1.js', '/assets/b-1.js', '/favicon.svg', ...pages, '/sw.js']))
  for (const address of addresses) {
    const flipped: Ask = async (asked, how) => {
      const answer = await ask(asked, how)
      return asked === address ? { ...answer, bytes: answer.bytes.with(0, (answer.bytes[0] ?? 0) ^ 1) } : answer
    }
    const { faults } = await compare(flipped, local)
    expect(faults.length, address).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toContain(`${address}: it is another file`)
  }
})

test('other bytes for the browsers that take a file compressed are found, and what cannot be decompressed is', async () => {
  writeFileSync(compressed, brotliCompressSync('sekond'))
  expect((await compare(ask, local)).faults).toEqual(['/assets/b-1.js: it is another file (br)'])
  writeFileSync(compressed, brotliCompressSync('second'))
  const rubbish = path.join(clientFolder, 'assets/b-1.js.gz')
  writeFileSync(rubbish, 'rubbish')
  const { faults } = await compare(ask, local)
  rmSync(rubbish)
  expect(faults).toEqual(['/assets/b-1.js: it cannot be read (gzip)'])
})

test('a file too few, a file too many and a list that was changed alone are found', async () => {
  const gone: Ask = async (address, how) =>
    address === '/favicon.svg' ? { ...(await ask('/x.y')), status: 404 } : ask(address, how)
  expect((await compare(gone, local)).faults).toEqual(['/favicon.svg: it is missing (404)'])
  const lists =
    (build: object): Ask =>
    async (address, how) => {
      const answer = await ask(address, how)
      return address === BUILD_ADDRESS ? { ...answer, bytes: new TextEncoder().encode(JSON.stringify(build)) } : answer
    }
  const files = { ...local.files, '/assets/c-1.js': local.files['/'] }
  expect((await compare(lists({ ...local, files }), local)).faults).toEqual(['/build.json: its id is not that of its files'])
  expect((await compare(lists({ ...local, version: '1.2.4' }), local)).faults).toHaveLength(1)
  expect((await compare(lists([]), local)).faults).toEqual(['/build.json: it names no build'])
})

test('the operator’s signature is served as soon as it lies in the folder, and one that does not hold is told', async () => {
  publishes('conclave/release.json', operator.sign(local.id))
  const answer = await world.stranger().request('GET', RELEASE_ADDRESS)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  expect(await compare(ask, local)).toMatchObject({ signedBy: operator.key, faults: [] })
  publishes('conclave/release.json', { ...operator.sign(local.id), key: thief.key })
  expect(await compare(ask, local)).toMatchObject({ signedBy: null, faults: [`${RELEASE_ADDRESS}: the signature does not hold`] })
  publishes('conclave/release.json', operator.sign(thief.key))
  expect(await compare(ask, local)).toMatchObject({ signedBy: null, faults: [`${RELEASE_ADDRESS}: it signs another build`] })
})

test('WEBCAT’s documents are served where the operator has put them, and nothing else of that folder is', async () => {
  const get = (address: string) => world.stranger().request('GET', address)
  expect(await get('/.well-known/webcat/bundle.json')).toBeRefused(404, 'not_found')
  publishes('webcat/bundle.json', { manifest: {} })
  publishes('secret.json', 'of the operator')
  publishes('webcat/key.json', 'of the operator')
  expect((await get('/.well-known/webcat/bundle.json')).body).toEqual({ manifest: {} })
  for (const address of [
    '/.well-known/secret.json',
    '/.well-known/webcat/key.json',
    '/.well-known/webcat/enrollment.json',
    '/.well-known/webcat/..%2fsecret.json',
    '/.well-known/conclave/../secret.json',
  ])
    expect(await get(address), address).toBeRefused(404)
})

test('every script and style sheet of a page carries its hash, and what is inline stops the build', () => {
  const read = () => new TextEncoder().encode('x')
  const html = withIntegrity(
    '<head><script src="/a.js"></script><link rel="modulepreload" crossorigin href="/b.js"><link rel="stylesheet" href="/c.css"/><link rel="icon" href="/d.svg"></head>',
    read,
  )
  const hash = 'integrity="sha384-'
  expect(html.split(hash)).toHaveLength(4)
  expect(html).toContain(`<script src="/a.js" ${hash}`)
  expect(html).toContain('<link rel="icon" href="/d.svg">')
  for (const wrong of [
    '<script>x</script>',
    '<p style="color:red">',
    '<img src="/x" onerror=alert(1)>',
    '<style>p{}</style>',
    '<base href="/">',
  ])
    expect(inlineFaults(wrong), wrong).toHaveLength(1)
  expect(inlineFaults(html)).toEqual([])
})
