import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { PATIENCE_MS } from './driver.ts'
import { pause } from './server.ts'

const PROGRAMS = ['unshare', 'nsenter', 'ip', 'nft', 'turnserver']
/** A relay passes nothing on to private addresses. Nothing leads out of these networks, whosever the addresses are elsewhere. */
const NETWORK = '25.77'

/** A network of its own, as a home or an office has one, behind a router that all share. */
export interface Place {
  address(): string
  /** A program that starts this one in here. It takes the same words. */
  program(path: string): Promise<string>
  /** Starts a program in here, which ends with this process or with the networks. */
  runs(path: string, words: string[]): ChildProcess
  /** Waits until a program in here listens at this TCP port. */
  listens(port: number): Promise<void>
  /** Makes this port of localhost in here the same one of this machine. */
  reaches(port: number): Promise<void>
  /** What its router lets out: everything, nothing of UDP, or connections to port 443 alone, as some offices do. */
  permits(what: 'all' | 'tcp' | '443'): void
  /** So many of a hundred packets of UDP are lost, both ways; 100: the line is cut. */
  loses(percent: number): void
  /** Gets another address, as somebody does who changes from cable to Wi-Fi. Connections to what it `reaches` break. */
  moves(): Promise<void>
}

export interface Networks {
  /** `isHidden`: behind a symmetric NAT, which gives each connection another port and lets nobody in. */
  place(options?: { isHidden?: boolean }): Promise<Place>
  close(): Promise<void>
}

/** Why no networks can be made here; undefined: they can. */
export function whyNone(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux makes networks'
  const missing = PROGRAMS.filter((name) => !isInstalled(name))
  if (missing.length > 0) return `there is no ${missing.join(', ')}`
  try {
    execFileSync('unshare', ['--net', 'nft', 'add', 'table', 'ip', 'probe'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `the kernel makes none (${String(error).split('\n').at(-1)})`
  }
}

export const isInstalled = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** The kernel removes a network with the last process in it, and these end when the pipe from this process does, so nothing stays. */
export async function openNetworks(): Promise<Networks> {
  const children = new Set<ChildProcess>()
  const servers = new Set<Server>()
  const folder = await mkdtemp(join(tmpdir(), 'conclave-networks-'))
  const router = await holdNetwork(children)
  for (const [name, value] of [
    ['ip_forward', '1'],
    ['conf/all/rp_filter', '0'],
  ])
    await writeIn(router, `/proc/sys/net/ipv4/${name}`, value ?? '')
  inside(router, 'nft', 'add table ip walk')
  inside(router, 'nft', 'add chain ip walk nat { type nat hook postrouting priority 100 ; }')
  inside(router, 'nft', 'add chain ip walk pass { type filter hook forward priority 0 ; }')
  let places = 0

  return {
    async place({ isHidden = false } = {}) {
      const number = places++
      const net = `${NETWORK}.${number}`
      const pid = await holdNetwork(children)
      execFileSync('ip', [
        'link',
        'add',
        'name',
        'line',
        'netns',
        `${pid}`,
        'type',
        'veth',
        'peer',
        'name',
        `to${number}`,
        'netns',
        `${router}`,
      ])
      inside(router, 'ip', `addr add ${net}.1/24 dev to${number}`)
      inside(router, 'ip', `link set to${number} up`)
      let host = 2
      inside(pid, 'ip', `addr add ${net}.${host}/24 dev line`)
      inside(pid, 'ip', 'link set line up')
      inside(pid, 'ip', `route add default via ${net}.1`)
      for (const chain of ['loss', 'out']) inside(router, 'nft', `add chain ip walk ${chain}${number}`)
      inside(router, 'nft', `add rule ip walk pass ip saddr ${net}.0/24 jump out${number}`)
      inside(router, 'nft', `add rule ip walk pass ip saddr ${net}.0/24 jump loss${number}`)
      inside(router, 'nft', `add rule ip walk pass ip daddr ${net}.0/24 jump loss${number}`)
      if (isHidden) {
        inside(router, 'nft', `add rule ip walk nat ip saddr ${net}.0/24 masquerade fully-random`)
        inside(router, 'nft', `add rule ip walk pass ip daddr ${net}.0/24 ct state new drop`)
      }
      const runs = (path: string, words: string[]) => {
        const child = spawn('nsenter', [`--net=${netOf(pid)}`, path, ...words], { stdio: ['pipe', 'ignore', 'ignore'] })
        children.add(child)
        return child
      }
      const listens = async (port: number) => {
        const deadline = Date.now() + PATIENCE_MS
        while (!inside(pid, 'ss', '-Hltn').includes(`:${port} `)) {
          if (Date.now() > deadline) throw new Error(`Nothing listens at port ${port}`)
          await pause(50)
        }
      }
      const reached = new Map<number, ChildProcess>()
      const forward = async (port: number) => {
        const words = ['--import', 'tsx', join(import.meta.dirname, 'forward.ts'), `${port}`, join(folder, `${port}`)]
        const child = runs(process.execPath, words)
        reached.set(port, child)
        await listens(port)
      }
      return {
        address: () => `${net}.${host}`,
        async program(path) {
          const script = join(folder, `${number}-${path.split('/').at(-1)}`)
          await writeFile(script, `#!/bin/sh\nexec nsenter --net=${netOf(pid)} '${path}' "$@"\n`, { mode: 0o755 })
          return script
        },
        runs,
        listens,
        async reaches(port) {
          const path = join(folder, `${port}`)
          if (![...servers].some((server) => server.address() === path)) servers.add(await joinTo(path, port))
          await forward(port)
        },
        permits(what) {
          inside(router, 'nft', `flush chain ip walk out${number}`)
          if (what !== 'all') inside(router, 'nft', `add rule ip walk out${number} meta l4proto udp drop`)
          if (what === '443') inside(router, 'nft', `add rule ip walk out${number} tcp dport != 443 drop`)
        },
        loses(percent) {
          inside(router, 'nft', `flush chain ip walk loss${number}`)
          // nft takes no rule that is always true.
          const which = percent < 100 ? `numgen random mod 100 < ${percent} ` : ''
          if (percent > 0) inside(router, 'nft', `add rule ip walk loss${number} meta l4proto udp ${which}drop`)
        },
        async moves() {
          const before = host++
          inside(pid, 'ip', `addr del ${net}.${before}/24 dev line`)
          inside(pid, 'ip', `addr add ${net}.${host}/24 dev line`)
          inside(pid, 'ip', `route replace default via ${net}.1`)
          for (const [port, child] of [...reached]) {
            await end(child)
            await forward(port)
          }
        },
      }
    },
    async close() {
      for (const server of servers) server.close()
      await Promise.all([...children].map(end))
    },
  }
}

const netOf = (pid: number) => `/proc/${pid}/ns/net`

/** Runs a program in the network of this process, to its end. Returns what it says. */
const inside = (pid: number, program: string, words: string): string =>
  execFileSync('nsenter', [`--net=${netOf(pid)}`, program, ...words.split(' ')], { encoding: 'utf8' })

const writeIn = async (pid: number, path: string, text: string) =>
  execFileSync('nsenter', [`--net=${netOf(pid)}`, 'tee', path], { input: text, stdio: ['pipe', 'ignore', 'inherit'] })

/** Makes a network and keeps it until the pipe to this process closes. Returns the id of the process in it. */
async function holdNetwork(children: Set<ChildProcess>): Promise<number> {
  const child = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo ready && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.add(child)
  await once(child.stdout, 'data')
  return child.pid ?? 0
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A socket in the file system, which every network of this machine has, leads to a port of this one's. */
async function joinTo(path: string, port: number): Promise<Server> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    from.pipe(to).pipe(from)
    // Either end may be gone: the other one is told by its own socket.
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => other.destroy())
  })
  server.listen(path)
  await once(server, 'listening')
  return server
}
