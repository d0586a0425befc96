import type { Demonstration } from '../worker/demonstration.ts'
import type { Measure } from './claim.ts'
import { whoIsHere } from './known.ts'

/** What was measured: its name and its value. `isExact` values are shown as code, to be compared. */
export interface Line {
  name: string
  value: string
  isExact?: boolean
}

/** Asks for each thing once a page. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const room = once(async (): Promise<Demonstration> => {
  const { openDemonstration } = await import('../worker/demonstration.ts')
  return openDemonstration(new Date())
})

const TEXT = 'Sign before six. I will countersign from Geneva.'

/** Measures something in this very page, over this connection, for this account. */
export const MEASURES: Record<Measure, () => Promise<Line[]>> = {
  async suite() {
    const { suite, sealingKeyBytes, keyPackageBytes } = await room()
    const { sealMs, openMs, size } = await passText(TEXT)
    return [
      { name: 'Suite', value: suite, isExact: true },
      { name: 'Public key', value: `${inBytes(sealingKeyBytes)}: X25519 (32) and ML-KEM-768 (1,184)` },
      { name: 'To let a device in', value: inBytes(keyPackageBytes) },
      { name: 'A message', value: `${inBytes(size)}, sealed in ${inMs(sealMs)}, opened in ${inMs(openMs)}` },
    ]
  },
  async once() {
    const { seal, open } = await room()
    const [one, other] = [await seal(TEXT), await seal(TEXT)]
    await open(one)
    await open(other)
    return [
      { name: 'The same text twice', value: `${bodyOf(one).slice(60, 84)} and ${bodyOf(other).slice(60, 84)}`, isExact: true },
      { name: 'The first, opened again', value: await refusalOf(() => open(one)) },
    ]
  },
  async padding() {
    const [short, long] = [await passText('Yes.'), await passText(TEXT)]
    return [
      { name: '“Yes.”', value: `${inBytes(short.size)} on their way` },
      { name: `${TEXT.length} characters`, value: `${inBytes(long.size)} on their way` },
    ]
  },
  async tampering() {
    const { seal, open } = await room()
    const envelope = await seal(TEXT)
    const body = bodyOf(envelope)
    const turned = `${body.slice(0, 100)}${body[100] === 'A' ? 'B' : 'A'}${body.slice(101)}`
    return [{ name: 'One letter changed on the way', value: await refusalOf(() => open(envelope.replace(body, turned))) }]
  },
  async route() {
    const { protocol, hostname } = location
    const { nextHopProtocol = '' } = navigation() ?? {}
    const isOnion = hostname.endsWith('.onion')
    const secured = protocol === 'https:' ? 'https' : isOnion ? 'http, inside Tor' : 'http, without a lock'
    return [
      { name: 'Connection', value: [secured, nextHopProtocol].filter(Boolean).join(', ') },
      { name: 'Address', value: isOnion ? `${hostname}, an onion address` : `${hostname}, not via Tor` },
    ]
  },
  async origin() {
    const isOwnCopy = (navigation()?.workerStart ?? 0) > 0
    return [
      { name: 'This page came from', value: isOwnCopy ? 'this browser’s own copy' : 'the server' },
      { name: 'Over the network', value: `${inBytes(transferred())} until now` },
    ]
  },
  async build() {
    const { runningCode } = await import('../net/runningCode.ts')
    const code = await runningCode()
    if (!code) return [{ name: 'Build', value: 'the server was just updated: reload the page' }]
    const { version, hash, signedBy } = code
    return [
      { name: 'Version', value: version },
      { name: 'Build', value: hash, isExact: true },
      signedBy === null ? { name: 'Signed', value: 'by nobody' } : { name: 'Signed by', value: signedBy, isExact: true },
    ]
  },
  async account() {
    const found = await whoIsHere()
    if (!found) return [{ name: 'Account', value: 'nobody is signed in in this browser' }]
    return [
      { name: 'Account', value: `@${String(found['username'])}` },
      { name: 'Passkey at sign-in', value: found['biometricEnabled'] === true ? 'asked for' : 'not asked for' },
    ]
  },
}

async function passText(text: string): Promise<{ sealMs: number; openMs: number; size: number }> {
  const { seal, open } = await room()
  const startedAt = performance.now()
  const envelope = await seal(text)
  const sealedAt = performance.now()
  await open(envelope)
  return { sealMs: sealedAt - startedAt, openMs: performance.now() - sealedAt, size: envelope.length }
}

/** The words by which this is refused. */
async function refusalOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt()
  } catch (error) {
    if (error instanceof Error && error.name === 'CryptoFailure') return `refused: “${error.message}”`
    throw error
  }
  return 'opened, which must not be: report it'
}

const bodyOf = (envelope: string): string => JSON.parse(envelope).body
const navigation = () => performance.getEntriesByType('navigation').find((entry) => entry instanceof PerformanceNavigationTiming)
const transferred = (): number =>
  [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
    (sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.transferSize : 0),
    0,
  )
const inBytes = (count: number): string => `${count.toLocaleString('en')} bytes`
const inMs = (ms: number): string => `${ms.toLocaleString('en', { maximumFractionDigits: 1 })} ms`
