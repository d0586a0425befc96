import { createStore } from 'zustand/vanilla'
import { callsApi } from '../../../contract/chat/calls.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { usableServers } from '../../rtc/ice.ts'
import { isBehindTor } from './address.ts'

export type TestName = 'microphone' | 'camera' | 'relay' | 'udp' | 'tcp' | 'tls'

export interface TestResult {
  name: TestName
  /** `none`: there is nothing to test. */
  state: 'ok' | 'bad' | 'none'
  /** What was found: "Headset (USB)", "38 ms", "Closed". */
  found: string
  /** What it means, and what is used instead. */
  meaning?: string
}

type Way = 'udp' | 'tcp' | 'tls'
const WAYS: readonly Way[] = ['udp', 'tcp', 'tls']

/** For an address of a relay to answer. */
const PATIENCE_MS = 5000

interface Asked {
  hasDevices: boolean
  onResult: (result: TestResult) => void
  signal: AbortSignal
}

/** Tests what calls can use from here, one thing after the other. */
export async function testConnection(env: Env, { hasDevices, onResult, signal }: Asked): Promise<TestResult[]> {
  const results: TestResult[] = []
  const tell = (result: TestResult) => {
    signal.throwIfAborted()
    results.push(result)
    onResult(result)
  }
  if (hasDevices) {
    tell(await testDevice('microphone'))
    tell(await testDevice('camera'))
  }
  // The relay would see the address that Tor hides.
  if (isBehindTor()) {
    tell({
      name: 'relay',
      state: 'none',
      found: 'Not tried',
      meaning: 'A call does not go through Tor, and neither would this test.',
    })
    for (const name of WAYS) tell({ name, state: 'none', found: 'Not tried' })
    return results
  }
  const { servers, why } = await relaysOf(env)
  // The ways are tried side by side, because a closed one says so only by silence.
  const tries = WAYS.map((way) => tryWay(servers, way, signal))
  const times = await Promise.all(tries)
  tell(relayResult(times, servers.length > 0, why))
  for (const [at, way] of WAYS.entries()) tell(wayResult(way, times[at], times, hasWay(servers, way)))
  return results
}

export const copiedResults = (results: TestResult[], names: Record<TestName, string>): string =>
  results.map(({ name, found, meaning }) => `${names[name]}: ${found}${meaning ? `. ${meaning}` : ''}`).join('\n')

const DEVICES = {
  microphone: { constraints: { audio: true }, missing: 'No microphone was found. Others will not hear you.' },
  camera: { constraints: { video: true }, missing: 'No camera was found. You can call by voice, and see others.' },
} as const

async function testDevice(name: keyof typeof DEVICES): Promise<TestResult> {
  const { constraints, missing } = DEVICES[name]
  try {
    const stream = await navigator.mediaDevices.getUserMedia(constraints)
    const [track] = stream.getTracks()
    for (const one of stream.getTracks()) one.stop()
    return { name, state: 'ok', found: track?.label || 'Works' }
  } catch (error) {
    const reason = error instanceof DOMException ? error.name : ''
    if (reason === 'NotAllowedError')
      return { name, state: 'bad', found: 'Not allowed', meaning: `Your browser does not let this page use the ${name}.` }
    if (reason === 'NotReadableError')
      return { name, state: 'bad', found: 'In use', meaning: `Another program is using the ${name}.` }
    return { name, state: 'bad', found: 'None', meaning: missing }
  }
}

async function relaysOf(env: Env): Promise<{ servers: RTCIceServer[]; why: string | undefined }> {
  try {
    const { iceServers } = await env.api(callsApi.turn, {})
    return { servers: usableServers(iceServers).filter(({ urls }) => [urls].flat().some(isRelay)), why: undefined }
  } catch (error) {
    if (error instanceof ApiError) return { servers: [], why: error.message }
    throw error
  }
}

const isRelay = (url: string): boolean => /^turns?:/.test(url)

/** RFC 7065: `turns` is TLS, and without a transport `turn` is UDP. */
function wayOf(url: string): Way {
  if (url.startsWith('turns:')) return 'tls'
  return /[?&]transport=tcp\b/i.test(url) ? 'tcp' : 'udp'
}

const urlsOf = ({ urls }: RTCIceServer, way: Way): string[] => [urls].flat().filter((url) => isRelay(url) && wayOf(url) === way)

const hasWay = (servers: RTCIceServer[], way: Way): boolean => servers.some((server) => urlsOf(server, way).length > 0)

/** Milliseconds until a relay gave an address by this way; undefined where none did. */
async function tryWay(servers: RTCIceServer[], way: Way, signal: AbortSignal): Promise<number | undefined> {
  const iceServers = servers.map((server) => ({ ...server, urls: urlsOf(server, way) })).filter(({ urls }) => urls.length > 0)
  if (iceServers.length === 0) return undefined
  const peer = new RTCPeerConnection({ iceServers, iceTransportPolicy: 'relay' })
  const startedAt = performance.now()
  try {
    const answered = new Promise<boolean>((resolve) => {
      peer.addEventListener('icecandidate', ({ candidate }) => {
        if (candidate?.type === 'relay') resolve(true)
        if (candidate === null) resolve(false)
      })
      setTimeout(resolve, PATIENCE_MS, false)
      signal.addEventListener('abort', () => resolve(false))
    })
    peer.createDataChannel('test')
    await peer.setLocalDescription(await peer.createOffer())
    return (await answered) ? Math.round(performance.now() - startedAt) : undefined
  } finally {
    peer.close()
  }
}

type Times = readonly (number | undefined)[]

function relayResult(times: Times, hasRelay: boolean, why: string | undefined): TestResult {
  const fastest = Math.min(...times.filter((time) => time !== undefined))
  if (Number.isFinite(fastest)) return { name: 'relay', state: 'ok', found: `${fastest} ms` }
  if (why !== undefined) return { name: 'relay', state: 'bad', found: 'Not asked', meaning: why }
  return hasRelay
    ? {
        ...{ name: 'relay', state: 'bad', found: 'No answer' },
        meaning: 'The relay cannot be reached from here. Calls that hide your address do not connect.',
      }
    : {
        ...{ name: 'relay', state: 'none', found: 'None' },
        meaning: 'This server has no relay. Calls go straight from browser to browser, which see each other’s network address.',
      }
}

const CLOSED: Record<Way, string> = {
  udp: 'Your network lets no UDP through. Calls use TCP: they work, with a little more delay.',
  tcp: 'Your network lets no TCP to the relay through. Calls use another way.',
  tls: 'Your network lets no TLS to the relay through. It is the last resort, and not needed while another way works.',
}

function wayResult(name: Way, time: number | undefined, times: Times, isOffered: boolean): TestResult {
  if (time !== undefined) return { name, state: 'ok', found: `${time} ms` }
  if (!isOffered) return { name, state: 'none', found: 'Not offered' }
  const meaning = times.some((other) => other !== undefined) ? CLOSED[name] : undefined
  return { name, state: 'bad', found: 'Closed', ...(meaning && { meaning }) }
}

/** The line of the daily test; null where all works. */
export const testStore = createStore<{ line: string | null }>(() => ({ line: null }))

const TESTED = 'conclave-call-test'

/** Tests the ways of a call, without its devices, before the first call of a day. What does not work is named in one line. */
export async function testOnceADay(env: Env): Promise<void> {
  if (isBehindTor()) return
  const today = env.clock().toISOString().slice(0, 10)
  if (localStorage.getItem(TESTED) === today) return
  localStorage.setItem(TESTED, today)
  const results = await testConnection(env, {
    hasDevices: false,
    onResult: () => undefined,
    signal: new AbortController().signal,
  })
  // TLS is the last resort: alone it is worth no line.
  const told = results.find(({ name, state }) => state === 'bad' && name !== 'tls' && name !== 'tcp')
  testStore.setState({ line: told?.meaning ?? null })
}
