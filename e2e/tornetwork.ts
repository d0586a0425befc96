import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled } from './networks.ts'
import { pause } from './server.ts'
import { dialBy } from './socks.ts'

/** A Tor network on this machine alone: an authority, four relays, and one client. */
export interface TorNetwork {
  /** A file of torrc lines by which another tor joins, such as a server's by `TOR_CONFIG`. */
  config: string
  client: TorClient
  stop(): Promise<void>
}

/** A tor that dials onion services, as the one of a Tor Browser does. */
export interface TorClient {
  /** Opens a connection to a port of an onion service. */
  dials(host: string, port: number): Promise<Socket>
  start(): Promise<void>
  /** Finds each service anew, as "New circuit for this site" of Tor Browser does. */
  forgets(): Promise<void>
  /** Kills it with SIGKILL. Connections by it end. */
  kill9(): Promise<void>
}

interface Program {
  folder: string
  child: ChildProcess
}

const RELAYS = ['one', 'two', 'three', 'four']
/** The authority is a relay too. */
const LISTED = RELAYS.length + 1
/** A network stands after some 10 s, and after 40 s on a busy machine: a relay that came too late waits for the next vote. */
const START_MS = 120_000
const ASK_MS = 3000
/** Each try has other ports: another program may take one before tor does. */
const TRIES = 3

/** Why no network can be started here; undefined: it can. */
export function whyNoTor(): string | undefined {
  const missing = ['tor', 'tor-gencert'].filter((name) => !isInstalled(name))
  return missing.length > 0 ? `there is no ${missing.join(', ')} (Debian: tor)` : undefined
}

/** Programs end with `stop`, and within 15 s of this process, however that ends. */
export async function startTorNetwork(tries = TRIES): Promise<TorNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'tor-'))
  const programs: Program[] = []
  const stop = async () => {
    await Promise.all(programs.map(({ child }) => end(child)))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const common = await startRelays(folder, programs)
    const config = join(folder, 'joins')
    await writeFile(config, common)
    return { config, client: await startClient(join(folder, 'client'), common, programs), stop }
  } catch (error) {
    await stop()
    if (tries > 1 && error instanceof PortTaken) return startTorNetwork(tries - 1)
    throw error
  }
}

class PortTaken extends Error {}

/** Returns the lines that whoever joins has. */
async function startRelays(folder: string, programs: Program[]): Promise<string> {
  const [port, directoryPort] = (await freePorts(2)) as [number, number]
  const at = join(folder, 'authority')
  const own = `${relayLines('authority', port)}DirPort 127.0.0.1:${directoryPort} IPv4Only\n`
  const { identity, fingerprint } = await makeKeys(at, own, directoryPort)
  const common = `${COMMON}DirAuthority authority orport=${port} no-v2 v3ident=${identity} 127.0.0.1:${directoryPort} ${fingerprint}\n`
  const authority = await startTor(at, common + own + authorityLines(NEVER_SECONDS))
  programs.push(authority)
  const relays = await Promise.all(RELAYS.map((name) => startTor(join(folder, name), common + relayLines(name, 'auto'))))
  programs.push(...relays)
  const count = (file: string, line: RegExp) => readIf(join(at, file)).match(line)?.length ?? 0
  // Whom the first vote lacks waits for the second one.
  await until('the authority knows every relay', programs, () => count('cached-descriptors.new', /^router /gm) >= LISTED)
  await writeFile(join(at, 'torrc'), common + own + authorityLines(FIRST_SECONDS) + ownLines(at))
  authority.child.kill('SIGHUP')
  const listed = () => count('cached-microdesc-consensus', /^s .*Guard.*HSDir.*Running/gm)
  await until('the consensus lists every relay', programs, () => listed() >= LISTED)
  // The log leaves out a step that is over when it is told.
  const unknowing = () => relays.filter((one) => !/\(enough_dirinfo\)|Bootstrapped 100%/.test(logOf(one)))
  // They have asked in vain, and wait longer each time: SIGHUP has them ask at once. One that asks too early asks in vain again.
  const ask = () => {
    for (const { child } of unknowing()) child.kill('SIGHUP')
  }
  ask()
  const asking = setInterval(ask, ASK_MS)
  // A client that comes before asks them for what they do not have yet, and waits for the next consensus.
  await until('every relay knows the others', programs, () => unknowing().length === 0).finally(() => clearInterval(asking))
  return common
}

/** The authority's own keys, and the fingerprints by which the others know it. */
async function makeKeys(folder: string, own: string, port: number): Promise<{ identity: string; fingerprint: string }> {
  const keys = join(folder, 'keys')
  await mkdir(keys, { recursive: true, mode: 0o700 })
  const [identityKey, signingKey, certificate] = ['identity_key', 'signing_key', 'certificate'].map((name) =>
    join(keys, `authority_${name}`),
  ) as [string, string, string]
  const words = ['--create-identity-key', '--passphrase-fd', '0', '-a', `127.0.0.1:${port}`]
  const making = spawn('tor-gencert', [...words, '-i', identityKey, '-s', signingKey, '-c', certificate], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  making.stdin.end('passphrase\n')
  // It wants some authority before it tells of itself.
  const nobody = `DirAuthority nobody orport=1 no-v2 v3ident=${'F'.repeat(40)} 127.0.0.1:1 ${'F'.repeat(40)}\n`
  await writeFile(join(folder, 'asked'), `${COMMON}DataDirectory ${folder}\n${own}${nobody}`)
  const asking = promisify(execFile)('tor', ['--list-fingerprint', '-f', join(folder, 'asked'), '--hush'])
  const [{ stdout }] = await Promise.all([asking, once(making, 'exit')])
  const fingerprint = stdout.trim().split('\n').at(-1)?.replace(/^\S+ /, '').replaceAll(' ', '') ?? ''
  const identity = /^fingerprint ([0-9A-F]{40})$/m.exec(await readFile(certificate, 'utf8'))?.[1] ?? ''
  return { identity, fingerprint }
}

async function startClient(folder: string, common: string, programs: Program[]): Promise<TorClient> {
  const [door, control] = [join(folder, 'socks'), join(folder, 'control')]
  let program: Program
  const start = async () => {
    program = await startTor(folder, `${common}SocksPort unix:${door}\nControlSocket ${control}\n`)
    programs.push(program)
    await until('a client is ready', [program], () => logOf(program).includes('Bootstrapped 100%'))
  }
  await start()
  return {
    dials: (host, port) => dialBy(connect(door), host, port),
    start,
    async forgets() {
      const socket = connect(control).setEncoding('latin1')
      socket.write('AUTHENTICATE\r\nSIGNAL NEWNYM\r\nQUIT\r\n')
      let answers = ''
      for await (const part of socket) answers += part
      if (!answers.startsWith('250 OK\r\n250 OK\r\n')) throw new Error(`The client’s tor says ${answers}`)
    },
    async kill9() {
      await end(program.child)
      await rm(join(folder, 'log'))
    },
  }
}

// A whole network makes some paths twice: a quarter of the relays is enough. Vanilla: a round trip takes 1 ms, not 16.
const COMMON = `TestingTorNetwork 1
TestingClientMaxIntervalWithoutRequest 1
PathsNeededToBuildCircuits 0.25
Schedulers Vanilla
`

/** Tor takes no less. */
const FIRST_SECONDS = 5
const NEVER_SECONDS = 1800

const authorityLines = (firstSeconds: number) => `AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
V3AuthVotingInterval 20
V3AuthVoteDelay 2
V3AuthDistDelay 2
TestingV3AuthInitialVotingInterval ${firstSeconds}
TestingV3AuthInitialVoteDelay 2
TestingV3AuthInitialDistDelay 2
TestingV3AuthVotingStartOffset ${Math.ceil(Date.now() / 1000) % FIRST_SECONDS}
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
`

const relayLines = (name: string, port: number | 'auto') => `Nickname ${name}
Address 127.0.0.1
OutboundBindAddress 127.0.0.1
ORPort 127.0.0.1:${port} IPv4Only
AssumeReachable 1
ExitRelay 0
SocksPort 0
ContactInfo none@example.invalid
`

async function startTor(folder: string, lines: string): Promise<Program> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'torrc'), lines + ownLines(folder))
  const output = openSync(join(folder, 'output'), 'a')
  return { folder, child: spawn('tor', ['-f', join(folder, 'torrc')], { stdio: ['ignore', output, output] }) }
}

const ownLines = (folder: string) =>
  `DataDirectory ${folder}\nLog notice file ${join(folder, 'log')}\n__OwningControllerProcess ${process.pid}\n`

const readIf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

const logOf = ({ folder }: Program): string => readIf(join(folder, 'log'))

async function until(what: string, programs: Program[], isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + START_MS
  while (!isSo()) {
    const dead = programs.find(({ child }) => child.exitCode !== null)
    if (dead) {
      const said = logOf(dead) + readFileSync(join(dead.folder, 'output'), 'utf8')
      throw new (said.includes('Address already in use') ? PortTaken : Error)(`A tor has ended: ${said}`)
    }
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}:\n${programs.map(logOf).join('\n')}`)
    await pause(50)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Held until all are known, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      return probe
    }),
  )
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}
