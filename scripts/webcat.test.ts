import { existsSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { policyFor } from '../contract/site/policy.ts'
import { startWorld } from '../server/testing/world.ts'
import { sha256, type WebcatManifest } from './manifest.ts'
import { type Ask, askAt, probe } from './probe.ts'
import { type Answer, manifestFaults, policyFaults, policyOf } from './webcat.ts'

// The client that `npm test` has built, at a real server.
const POLICY = policyFor()
const root = path.resolve(import.meta.dirname, '..')
const clientFolder = path.join(root, 'dist/client')
if (!existsSync(clientFolder)) throw new Error('There is no client: node scripts/setup.mjs --build')
const manifest: WebcatManifest = JSON.parse(readFileSync(path.join(root, 'dist/webcat/manifest.json'), 'utf8'))
const world = await startWorld({ clientFolder })
const alice = await world.person('alice')

const ask = askAt(world.url)

/** What the server answered once, so that each planted fault need not ask for all of it again. */
const answered = new Map<string, Promise<Answer>>()
const askOnce: Ask = (address, asked) => {
  const key = JSON.stringify([address, asked])
  const answer = answered.get(key) ?? ask(address, asked)
  answered.set(key, answer)
  return answer
}

test('whatever a browser may ask of the server, the answer obeys every rule of WEBCAT', async () => {
  expect(await probe(askOnce, manifest)).toEqual([])
})

/** The same server with one thing planted in the answers to one address. */
const planted =
  (where: string, change: (answer: Answer) => Partial<Answer>): Ask =>
  async (address, asked) => {
    const answer = await askOnce(address, asked)
    return address === where ? { ...answer, ...change(answer) } : answer
  }
const header =
  (name: string, value: string | null) =>
  ({ headers }: Answer): Partial<Answer> => {
    const changed = new Headers(headers)
    if (value === null) changed.delete(name)
    else changed.set(name, value)
    return { headers: changed }
  }
const html =
  (change: (text: string) => string) =>
  ({ bytes }: Answer): Partial<Answer> => ({ bytes: new TextEncoder().encode(change(new TextDecoder().decode(bytes))) })
const before = (tag: string, more: string) => html((text) => text.replace(tag, more + tag))

const script = Object.keys(manifest.files).find((name) => /^\/assets\/.*\.js$/.test(name)) ?? ''
const wasm = Object.keys(manifest.files).find((name) => name.endsWith('.wasm')) ?? ''
let visit = 0

test.each<[string, string, (answer: Answer) => Partial<Answer>, string]>([
  ['no policy on a call', '/api/user', header('content-security-policy', null), 'there is no policy'],
  ['no policy on an error', '/gone.png', header('content-security-policy', null), 'there is no policy'],
  ['another policy on a file', script, header('content-security-policy', `${POLICY};`), 'character by character'],
  ['a nonce for each answer', '/', header('content-security-policy', `${POLICY};style-src 'nonce-1'`), 'character by character'],
  ['a second policy', '/api/health', header('content-security-policy', `${POLICY}, ${POLICY}`), 'character by character'],
  ['a Refresh header', '/api/nothing-here', header('refresh', '0;url=/x'), 'a header refresh'],
  ['a Link header', '/', header('link', '</x.js>;rel=preload'), 'a header link'],
  ['no agent cluster of its own', '/', header('origin-agent-cluster', null), 'no Origin-Agent-Cluster'],
  ['a redirect to another host', '/nowhere', header('location', '//evil.example/'), 'not relative'],
  ['a redirect to a whole address', '/nowhere', header('location', 'https://chat.example/'), 'not relative'],
  ['a redirect by a backslash', '/nowhere', header('location', '/\\evil.example'), 'not relative'],
  ['a script that leads elsewhere', script, header('location', '/other.js'), 'what is no page leads elsewhere'],
  ['a page made for each visitor', '/', before('</head>', `<meta name="visit" content="${visit++}">`), 'bytes are not those'],
  ['an inline script', '/', before('</head>', '<script>alert(1)</script>'), 'an inline script'],
  ['an inline handler', '/', before('</body>', '<img src="/x" onerror="alert(1)">'), 'an inline handler'],
  ['an inline style', '/', before('</body>', '<p style="color:red">'), 'an inline style'],
  ['a script of no manifest', '/', before('</head>', '<script src="/assets/x.js"></script>'), 'which is in no manifest'],
  ['a script without its hash', '/', html((text) => text.replaceAll(/ integrity="[^"]*"/g, '')), 'without its integrity'],
  ['another byte in a script', script, ({ bytes }) => ({ bytes: bytes.with(9, 7) }), 'bytes are not those'],
  ['another service worker', '/sw.js', ({ bytes }) => ({ bytes: bytes.with(9, 7) }), 'bytes are not those'],
  ['other WebAssembly', wasm, ({ bytes }) => ({ bytes: bytes.with(9, 7) }), 'WebAssembly of no manifest'],
])('%s is found', async (_what, address, change, fault) => {
  const found = await probe(planted(address, change), manifest)
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter((each) => each.startsWith(`${address}: `) && each.includes(fault))).not.toEqual([])
  expect(found.filter((each) => !each.startsWith(`${address}: `))).toEqual([])
})

test('a policy that lets other code in is none that could be signed', () => {
  expect(policyFaults(POLICY)).toEqual([])
  expect(policyFaults(policyFor('https://files.example.org', 'https://pay.example.org'))).toEqual([])
  expect(policyFaults(`${POLICY};frame-src *`)).toEqual(['frame-src may not name *'])
  for (const [wrong, fault] of [
    ["script-src 'self' 'nonce-abc'", 'a nonce'],
    ["script-src 'self' 'unsafe-eval'", "'unsafe-eval'"],
    ["script-src 'self' https://cdn.example", 'https://cdn.example'],
    ["worker-src 'self' blob:", 'worker-src may not name blob:'],
    ["object-src 'self'", 'object-src'],
    ["style-src 'unsafe-inline'", "'unsafe-inline'"],
  ] as const) {
    const name = wrong.split(' ')[0] ?? ''
    const policy = POLICY.replace(new RegExp(`${name} [^;]*`), wrong)
    expect(policyFaults(policy).join(), wrong).toContain(fault)
  }
  expect(policyFaults(POLICY.replace(/worker-src [^;]*;/, ''))).toEqual(['the policy does not set worker-src'])
  expect(policyFaults("default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; worker-src 'self'")).toEqual([
    'the policy does not set frame-src or child-src',
  ])
  expect(policyFaults(`${POLICY},${POLICY}`).join()).toContain('comma')
})

test('a manifest that names no index, no fallback or a policy for half a path is refused; the longest prefix counts', () => {
  expect(manifestFaults(manifest)).toEqual([])
  expect(manifestFaults({ ...manifest, default_index: 'x.html' }).join()).toContain('index')
  expect(manifestFaults({ ...manifest, default_fallback: '/x.html' }).join()).toContain('fallback')
  expect(manifestFaults({ ...manifest, extra_csp: { '/a': POLICY } }).join()).toContain('/a')
  const two = { ...manifest, extra_csp: { '/a/': 'one', '/a/b/': 'two' } }
  expect(['/', '/a/x', '/a/b/x'].map((address) => policyOf(two, address))).toEqual([POLICY, 'one', 'two'])
})

test('the WebAssembly that stretches passwords is in the manifest, although it stands inside of a script', async () => {
  const { argon2id } = await vi.importActual<typeof import('hash-wasm')>('hash-wasm')
  const compile = vi.spyOn(WebAssembly, 'compile')
  await argon2id({ password: 'x', salt: new Uint8Array(16), parallelism: 1, iterations: 1, memorySize: 8, hashLength: 32 })
  const run = compile.mock.calls.map(([bytes]) => sha256(new Uint8Array(bytes as ArrayBuffer)))
  compile.mockRestore()
  expect(run.length).toBeGreaterThan(0)
  for (const hash of run) expect(manifest.wasm).toContain(hash)
})

test('a socket is opened, and refused, under the same policy', async () => {
  const opened = await new Promise<string | undefined>((resolve, reject) => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/ws`, {
      headers: { cookie: alice.cookie ?? '', origin: world.url },
    })
    socket.on('upgrade', ({ headers }) => {
      resolve(headers['content-security-policy']?.toString())
      socket.terminate()
    })
    socket.on('error', reject)
  })
  expect(opened).toBe(POLICY)
  const { port } = new URL(world.url)
  for (const request of [
    'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'NONSENSE\r\n\r\n',
  ]) {
    const socket = createConnection(Number(port), '127.0.0.1')
    socket.write(request)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text, request).toContain(`\r\ncontent-security-policy: ${POLICY}\r\n`)
  }
})
