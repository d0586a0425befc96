import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { PAGES, pageOf } from '../../contract/site/pages.ts'
import { wire } from './early.ts'

const script = readFileSync(path.resolve(import.meta.dirname, '../early.js'), 'utf8')

interface Visit {
  address?: string
  local?: Record<string, string>
  session?: Record<string, string>
  /** Names of globals that this browser does not have. */
  without?: string[]
  /** What is else in its `navigator`. */
  browser?: object
  /** What the server answers to the first question; nothing yet if absent. */
  answer?: { status: number; body: object }
  /** What the page's own HTML says: that of the pages to read says `page`. */
  data?: Record<string, string>
}

/** Runs the early script in a browser like this. */
function visit({ address = '/', local = {}, session = {}, without = [], browser = {}, data = {}, answer }: Visit) {
  const { pathname, search, hash } = new URL(address, 'https://chat.example.org')
  const dataset: Record<string, string> = { ...data }
  const asked: string[] = []
  const response = answer && { ...answer, ok: answer.status === 200, clone: () => ({ json: async () => answer.body }) }
  const named = { textContent: '' }
  const reloads: string[] = []
  let press: (event?: object) => void = () => undefined
  const changes: (() => void)[] = []
  const page = {
    location: { pathname, search, hash, reload: () => reloads.push(hash) },
    document: {
      documentElement: { dataset },
      addEventListener(type: string, run: (event?: object) => void) {
        if (type === 'DOMContentLoaded') run()
        if (type === 'click') press = run
      },
      getElementById: () => named,
    },
    localStorage: {
      getItem: (key: string) => local[key] ?? null,
      setItem: (key: string, value: string) => {
        local[key] = value
      },
      removeItem: (key: string) => void Reflect.deleteProperty(local, key),
    },
    sessionStorage: { getItem: (key: string) => session[key] ?? null },
    addEventListener: (type: string, run: () => void) => type === 'hashchange' && changes.push(run),
    ...{ isSecureContext: true, crypto: { subtle: {} }, indexedDB: {}, Worker: {}, WebAssembly: {}, WebSocket: {} },
    ...{
      BroadcastChannel: {},
      Element: { prototype: { checkVisibility: () => true } },
      URL: { canParse: () => true },
      ReadableStream: {},
      RTCPeerConnection: {},
      MediaRecorder: {},
      PublicKeyCredential: {},
      PushManager: {},
    },
    navigator: { locks: {}, mediaDevices: {}, ...browser },
    fetch: (path: string) => {
      asked.push(path)
      return Promise.resolve(response)
    },
  }
  const context = createContext({ ...page, ...Object.fromEntries(without.map((name) => [name, undefined])) })
  if (without.includes('WebAssembly')) runInContext('delete globalThis.WebAssembly', context)
  runInContext(script, context)
  const { early } = context as { early: { goesWithout: string; asked?: object; askedAtMs?: number } }
  return {
    frame: dataset['frame'],
    /** Presses what only these selectors find, then changes the hash. Returns how often the page was loaded anew. */
    presses(selector: string) {
      press({ target: { closest: (asked: string) => (asked === selector ? {} : null) } })
      for (const change of changes) change()
      return reloads.length
    },
    text: dataset['text'],
    asked,
    lacks: named.textContent,
    goesWithout: early.goesWithout,
    askedAtMs: early.askedAtMs,
    /** What the code may take. */
    left: () => Object.keys(early.asked ?? {}),
    told: new Promise((resolve) => setTimeout(resolve)),
  }
}

const member = { user: '{"id":"1"}' }

test('The chosen text size is there before the first paint', () => {
  expect(visit({ local: { text: 'large' } }).text).toBe('large')
  expect(visit({}).text).toBeUndefined()
})

test('A first visit to the front door shows the landing; every other address and every later visit the sign-in', () => {
  expect(visit({}).frame).toBe('landing')
  expect(visit({ address: '/?from=a-friend' }).frame).toBe('landing')
  for (const address of ['/auth', '/chat/dm_a_b', '/settings?tab=plan', '/anything'])
    expect(visit({ address }).frame).toBe('form')
  expect(visit({ local: { visited: 'yes' } }).frame).toBe('form')
})

test('Who has come past the landing is not shown it again, from the first moment of the form on', () => {
  const local: Record<string, string> = {}
  visit({ local })
  visit({ local, address: '/security', data: { page: 'true' } })
  expect(local).toEqual({})
  visit({ local, address: '/auth' })
  expect(visit({ local }).frame).toBe('form')
  const former = { ...member }
  visit({ local: former })
  const { user: _, ...afterSignOut } = former as Record<string, string>
  expect(visit({ local: afterSignOut }).frame).toBe('form')
})

test('A browser that was shut out shows no form before the server has answered again; who has not passed the landing still sees that', async () => {
  const local: Record<string, string> = {}
  const refusal = { status: 403, body: { code: 'tor_required' } }
  await visit({ local, answer: refusal }).told
  expect(local).toEqual({ door: 'yes' })
  expect(visit({ local, answer: refusal }).frame).toBe('landing')
  expect(visit({ local, address: '/auth', answer: refusal }).frame).toBe('app')
  await visit({ local, address: '/auth', answer: { status: 403, body: { code: 'device_required' } } }).told
  expect(visit({ local: { ...local }, address: '/auth' }).frame).toBe('form')
  const member = { door: 'yes', user: '{"id":"1"}' }
  await visit({ local: member, answer: { status: 200, body: {} } }).told
  expect(member).not.toHaveProperty('door')
})

test('A member never sees the landing, whatever address leads here', () => {
  for (const address of ['/', '/#home', '/#features', '/auth', '/?tab=signin'])
    expect(visit({ address, local: member }).frame).toBe('app')
})

test('The way back to the landing works for who has been here before, also for who was just signed out', () => {
  const local = { visited: 'yes' }
  for (const hash of ['#home', '#passage', '#features']) {
    expect(visit({ address: `/${hash}`, local }).frame).toBe('landing')
    expect(visit({ address: `/${hash}`, local, session: { 'signed-out': 'by you' } }).frame).toBe('landing')
  }
  expect(visit({ address: '/#other', local }).frame).toBe('form')
  expect(visit({ address: '/auth#home', local }).frame).toBe('form')
})

test('The way back to the landing works before the code is there', () => {
  expect(visit({ local: { visited: 'yes' } }).presses('.frame-form [href="/#home"]')).toBe(1)
  expect(visit({ local: { visited: 'yes' } }).presses('.elsewhere')).toBe(0)
})

test('Who was signed out, or asks for Sign In, does not see a new visitor’s form first', () => {
  expect(visit({ session: { 'signed-out': '' } }).frame).toBe('app')
  expect(visit({ address: '/auth?tab=signin' }).frame).toBe('app')
})

test('A logout that is still to be sent goes before everything: no landing, and nobody is asked for', () => {
  const { frame, asked } = visit({ local: { 'logout-owed': '{}' } })
  expect([frame, asked]).toEqual(['form', []])
  expect(visit({}).asked).toEqual(['/api/user'])
})

test('A member’s page asks for the user and for the vault’s other half at once; without the user it goes on as if it had not', async () => {
  const both = ['/api/user', '/api/devices/unlock']
  const visited = visit({ local: member, answer: { status: 200, body: {} } })
  await visited.told
  expect([visited.asked, visited.left()]).toEqual([both, both])
  for (const status of [401, 403, 503]) {
    const cancel = vi.fn()
    const refused = visit({ local: member, answer: { status, body: { cancel } } })
    await refused.told
    expect(cancel).toHaveBeenCalledOnce()
    expect([refused.asked, refused.left()]).toEqual([both, ['/api/user']])
  }
  expect(visit({ local: member, data: { page: 'true' } }).asked).toEqual(['/api/user'])
})

test('The addresses that are no page for the server are none for the early script', () => {
  const addresses = [
    ...Object.keys(PAGES),
    '/api/user',
    '/assets/x',
    '/objects',
    '/x.png',
    '/chat/a.b',
    '/apiary',
    '/wsx',
    '/s3/y',
    '/a',
  ]
  for (const address of addresses) expect(visit({ address }).frame === 'nowhere', address).toBe(pageOf(address) === null)
})

test('A browser that cannot encrypt is told by name what it lacks, and nobody is asked for', () => {
  const { frame, lacks, asked } = visit({ local: member, without: ['Worker', 'WebSocket'] })
  expect([frame, lacks, asked]).toEqual(['lacks', 'Web Workers and WebSocket', []])
  const noLocks = { locks: undefined }
  expect(visit({ without: ['isSecureContext', 'crypto'], browser: noLocks }).lacks).toBe('a secure connection (https)')
  expect(visit({ without: ['BroadcastChannel', 'ReadableStream'], browser: noLocks }).lacks).toBe(
    'Web Locks, BroadcastChannel and streams (ReadableStream)',
  )
  for (const missing of ['Intl', 'URL', 'Element'])
    expect(visit({ without: [missing] }).lacks, missing).toBe('JavaScript of 2024')
})

test('A browser without WebAssembly, or without a store, is not turned away', () => {
  const { frame, lacks } = visit({ without: ['indexedDB', 'WebAssembly'] })
  expect([frame, lacks]).toEqual(['landing', ''])
})

test('What a browser goes without is named at the door, which it passes; an iPhone has notifications on its Home Screen', () => {
  expect(visit({})).toMatchObject({ frame: 'landing', goesWithout: '' })
  const poor = visit({ without: ['RTCPeerConnection', 'MediaRecorder', 'PublicKeyCredential', 'PushManager'] })
  const all = 'calls, direct transfers, voice messages, passkeys and notifications while it is closed'
  expect(poor).toMatchObject({ frame: 'landing', lacks: '', goesWithout: all })
  expect(visit({ browser: { mediaDevices: undefined } }).goesWithout).toBe('calls and voice messages')
  expect(visit({ without: ['PushManager'], browser: { standalone: false } }).goesWithout).toBe('')
})

test('The code takes each early answer once, and only for a reading', async () => {
  const [early, late] = [new Response('early'), new Response('late')]
  vi.stubGlobal('fetch', async () => late)
  expect(visit({}).askedAtMs).toBeGreaterThan(Date.now() - 60_000)
  globalThis.early = { asked: { '/api/user': Promise.resolve(early) }, askedAtMs: Date.now() }
  expect(await wire('/api/user', { method: 'PUT' })).toBe(late)
  expect(await wire('/api/rooms', { method: 'GET' })).toBe(late)
  expect(await wire('/api/user', { method: 'GET' })).toBe(early)
  expect(await wire('/api/user', { method: 'GET' })).toBe(late)
  globalThis.early = undefined
  vi.unstubAllGlobals()
})

test('An early answer that has grown old, as on a phone that slept, is asked for anew: its challenge may have ended', async () => {
  const [early, late] = [new Response('early'), new Response('late')]
  vi.stubGlobal('fetch', async () => late)
  globalThis.early = { asked: { '/api/devices/unlock': Promise.resolve(early) }, askedAtMs: Date.now() - 61_000 }
  expect(await wire('/api/devices/unlock', { method: 'GET' })).toBe(late)
  globalThis.early = undefined
  vi.unstubAllGlobals()
})
