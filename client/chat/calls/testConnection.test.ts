import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { copiedResults, type TestName, type TestResult, testConnection, testOnceADay, testStore } from './testConnection.ts'

const URLS = [
  'turn:relay.example:3478?transport=udp',
  'turn:relay.example:3478?transport=tcp',
  'turns:relay.example:443?transport=tcp',
]

/** Ways that the network lets through. */
let open: RegExp
let closed: number

class Peer extends EventTarget {
  private readonly urls: string[]
  constructor({ iceServers }: { iceServers: { urls: string[] }[] }) {
    super()
    this.urls = iceServers.flatMap(({ urls }) => urls)
    if (this.urls.some((url) => !/^turns?:[^ ]+$/.test(url))) throw new DOMException('No valid URL', 'SyntaxError')
  }
  createDataChannel = () => undefined
  async createOffer() {
    return {}
  }
  async setLocalDescription() {
    queueMicrotask(() => {
      const tell = (candidate: { type: string } | null) =>
        this.dispatchEvent(Object.assign(new Event('icecandidate'), { candidate }))
      tell({ type: 'host' })
      if (this.urls.some((url) => open.test(url))) tell({ type: 'relay' })
      tell(null)
    })
  }
  close() {
    closed += 1
  }
}

const envOf = (answer: () => unknown) =>
  ({ api: async () => answer(), clock: () => new Date('2026-11-26T12:00:00Z') }) as unknown as Env
const relay = () => ({ hasRelay: true, iceServers: [{ urls: URLS, username: 'u', credential: 'c' }], expiresAt: null })

async function run(env: Env): Promise<Partial<Record<TestName, TestResult>>> {
  const told: TestResult[] = []
  const signal = new AbortController().signal
  await testConnection(env, { hasDevices: false, onResult: (result) => told.push(result), signal })
  return Object.fromEntries(told.map((result) => [result.name, result]))
}

beforeEach(() => {
  closed = 0
  vi.stubGlobal('RTCPeerConnection', Peer)
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, to: string) => kept.set(key, to),
  })
  testStore.setState({ line: null })
})
afterEach(() => vi.unstubAllGlobals())

test('A network that shuts UDP is told so, with what is used instead; the relay is fine', async () => {
  open = /tcp/
  const results = await run(envOf(relay))
  expect([results.relay, results.tcp, results.tls].map((result) => result?.state)).toEqual(['ok', 'ok', 'ok'])
  expect(results.udp).toMatchObject({ state: 'bad', found: 'Closed', meaning: expect.stringContaining('Calls use TCP') })
  expect(closed).toBe(3)
})

test('A relay that nothing reaches, one that there is not, and one that is refused are three things', async () => {
  open = /never/
  expect((await run(envOf(relay))).relay).toMatchObject({ state: 'bad', found: 'No answer' })
  const none = await run(envOf(() => ({ hasRelay: false, iceServers: [], expiresAt: null })))
  expect(none.relay).toMatchObject({ state: 'none', found: 'None' })
  expect(none.udp).toEqual({ name: 'udp', state: 'none', found: 'Not offered' })
  const refused = envOf(() => {
    throw new ApiError(403, 'call_leaves_tor', 'A call would leave Tor: the relay would see your address.')
  })
  expect((await run(refused)).relay).toMatchObject({ state: 'bad', meaning: expect.stringContaining('leave Tor') })
})

test('An address of a relay that no browser takes is left out, as in a call', async () => {
  open = /./
  const iceServers = [{ urls: ['turn:a b', 'turns:relay.example:443?transport=tcp'], username: 'u', credential: 'c' }]
  const results = await run(envOf(() => ({ hasRelay: true, iceServers, expiresAt: null })))
  expect([results.udp?.state, results.tls?.state, results.relay?.state]).toEqual(['none', 'ok', 'ok'])
})

test('Behind Tor no way is tried and no relay is asked for: not by hand, not by the silent test, not before hello', async () => {
  vi.stubGlobal('RTCPeerConnection', function made() {
    throw new Error('No connection may be made')
  })
  vi.stubGlobal('location', new URL('http://abc.onion/'))
  const answer = vi.fn(relay)
  const results = await run(envOf(answer))
  expect(results.relay).toMatchObject({ state: 'none', meaning: 'A call does not go through Tor, and neither would this test.' })
  expect([results.udp, results.tcp, results.tls].map((result) => result?.found)).toEqual(Array(3).fill('Not tried'))
  await testOnceADay(envOf(answer))
  expect([answer.mock.calls, testStore.getState().line]).toEqual([[], null])
  // What runs later today, outside of Tor, is the first one.
  expect(localStorage.getItem('conclave-call-test')).toBeNull()
})

test('The silent test runs once a day, and names what does not work in one line', async () => {
  open = /tcp/
  const answer = vi.fn(relay)
  const env = envOf(answer)
  await testOnceADay(env)
  expect(testStore.getState().line).toContain('no UDP')
  await testOnceADay(env)
  expect(answer).toHaveBeenCalledOnce()
  await testOnceADay({ ...env, clock: () => new Date('2026-11-27T12:00:00Z') })
  expect(answer).toHaveBeenCalledTimes(2)
})

test('The copied result has a line for each thing', () => {
  const names = { microphone: 'Microphone', camera: 'Camera', relay: 'Relay', udp: 'UDP', tcp: 'TCP', tls: 'TLS' }
  const results: TestResult[] = [
    { name: 'relay', state: 'ok', found: '38 ms' },
    { name: 'udp', state: 'bad', found: 'Closed', meaning: 'Calls use TCP' },
  ]
  expect(copiedResults(results, names)).toBe('Relay: 38 ms\nUDP: Closed. Calls use TCP')
})
