import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PAGES } from '../../../contract/site/pages.ts'
import { startWorld } from '../../testing/world.ts'

const clientFolder = mkdtempSync(path.join(tmpdir(), 'conclave-client-'))
mkdirSync(path.join(clientFolder, 'assets'))
for (const file of Object.values(PAGES)) if (file !== null) writeFileSync(path.join(clientFolder, file), `<main>${file}</main>`)
writeFileSync(path.join(clientFolder, 'index.html'), '<div id="root"></div>')
writeFileSync(path.join(clientFolder, 'sw.js'), 'worker')
writeFileSync(path.join(clientFolder, 'build.json'), '{}')
writeFileSync(path.join(clientFolder, 'manifest.webmanifest'), '{}')
writeFileSync(path.join(clientFolder, 'favicon.svg'), '<svg/>')
writeFileSync(path.join(clientFolder, 'assets/app-1234.js'), 'x')
afterAll(() => rmSync(clientFolder, { recursive: true }))
const world = await startWorld({ clientFolder, variables: { PUBLIC_URL: 'https://chat.example.org' } })
const get = (address: string) => world.stranger().request('GET', address)

test('behind https the cookie is bound to the host, and browsers are told to stay on https', async () => {
  const origin = 'https://chat.example.org'
  const form = { username: 'alice', displayName: 'Alice', password: 'hunter22', confirmPassword: 'hunter22' }
  const answer = await world.stranger().request('POST', '/api/register', { body: form, headers: { origin } })
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-conclave_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=31536000/)
  const local = { origin: 'http://localhost:3000' }
  expect(await world.stranger().request('POST', '/api/register', { body: form, headers: local })).toBeRefused(
    403,
    'forbidden_origin',
  )
})

test('every address of the app is the same bytes for every visitor, under the same policy', async () => {
  const answers = await Promise.all(
    ['/', '/', '/chat/with-bob', '/settings?tab=devices'].map(async (address) => {
      const { headers, text, status } = await get(address)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      return { text, policy: headers.get('content-security-policy') }
    }),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]?.policy).toContain("script-src 'self' 'wasm-unsafe-eval';")
  expect(answers[0]?.policy).toContain("style-src 'self';")
  expect((await get('/api/health')).headers.get('content-security-policy')).toBe(answers[0]?.policy)
})

test('assets stay for a year; what is nobody’s is JSON, never the page', async () => {
  expect((await get('/assets/app-1234.js')).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await get('/favicon.svg')).text).toBe('<svg/>')
  for (const address of [
    '/assets/gone.js',
    '/gone.png',
    '/api',
    '/api/gone',
    '/index.html',
    '/assets/..%2findex.html',
    '/ws',
    '/ws/x',
    '/s3',
    '/s3/sts',
    '/%73%33/sts',
    '/objects/photo',
    '/.well-known',
    '/.well-known/webcat/bundle.json',
    '/.well-known/change-password',
  ]) {
    expect(await get(address), address).toBeRefused(404, 'not_found')
  }
  for (const address of ['/s3-prices', '/offlines', '/objectsx', '/apiary', '/wsx', '/constructor', '/toString/x'])
    expect((await get(address)).text, address).toContain('id="root"')
})

test('the service worker, the manifest and what the client is made of stand at the root, and no cache holds an old one', async () => {
  for (const [address, type] of [
    ['/sw.js', 'application/javascript'],
    ['/manifest.webmanifest', 'application/manifest+json'],
    ['/build.json', 'application/json'],
  ] as const) {
    const { headers, status } = await get(address)
    expect(status, address).toBe(200)
    // Whether a charset follows depends on whether the file has a compressed copy.
    expect(headers.get('content-type')?.split(';')[0], address).toBe(type)
    expect(headers.get('cache-control'), address).toBe('no-cache')
    expect(headers.get('content-security-policy'), address).toBe((await get('/')).headers.get('content-security-policy'))
    expect(headers.get('service-worker-allowed'), address).toBeNull()
  }
})

test('who reads an address that only takes writes is told which method it takes, beside the pages too', async () => {
  const answer = await get('/api/login')
  expect(answer).toBeRefused(405, 'method_not_allowed')
  expect(answer.headers.get('allow')).toBe('POST')
})

test('a page of its own counts for its own address; where there is none, people are shown a page and programs an error', async () => {
  const asked = async (address: string, accept = 'text/html,*/*') => {
    const { status, text } = await world.stranger().request('GET', address, { headers: { accept } })
    return [status, text]
  }
  const app = '<div id="root"></div>'
  expect(await asked('/security')).toEqual([200, '<main>security.html</main>'])
  expect(await asked('/security/threat-model')).toEqual([200, '<main>threat-model.html</main>'])
  expect(await asked('/security/other')).toEqual([200, app])
  expect(await asked('/nothing.png')).toEqual([404, app])
  for (const [address, accept] of [
    ['/nothing.png', '*/*'],
    ['/api/nothing', 'text/html'],
  ] as const)
    expect(await world.stranger().request('GET', address, { headers: { accept } })).toBeRefused(404, 'not_found')
})
