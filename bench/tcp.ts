import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { findBinaries, serverAccount } from '../server/ground/db/binaries.ts'
import { socketUrl } from '../server/ground/db/postmaster.ts'
import { initialise, makeFolder } from '../server/ground/db/prepare.ts'
import { inDatabase, root } from './ground.ts'
import { adopt, pause } from './program.ts'
import { scratchFolder } from './scratch.ts'

const START_MS = 20_000

export interface TcpPostgres {
  pid: number
  port: number
  password: string
  /** Address for this process, by a Unix socket in a private folder. */
  url: string
  stop(): Promise<void>
}

/** Starts PostgreSQL with the same settings on TCP with a password, because ejabberd cannot use Unix sockets. */
export async function startTcpPostgres(): Promise<TcpPostgres> {
  const dataFolder = scratchFolder('tcp')
  const account = serverAccount()
  makeFolder(dataFolder, account)
  const binaries = findBinaries(root, dataFolder, account)
  const cluster = path.join(dataFolder, 'postgres')
  initialise(binaries, cluster, account)
  const socketFolder = path.join(dataFolder, 'socket')
  mkdirSync(socketFolder)
  chmodSync(socketFolder, 0o700)
  if (account) chownSync(socketFolder, account.uid, account.gid)
  writeFileSync(path.join(cluster, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 md5\n')
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: socketFolder,
    password_encryption: 'md5',
    max_connections: '64',
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '128MB',
  }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(path.join(binaries, 'bin/postgres'), ['-D', cluster, ...words], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: cluster,
    env: {},
    stdio: 'ignore',
  })
  const { pid, stop } = adopt(child, 'SIGINT')
  const url = socketUrl(socketFolder, 'postgres').replace(':5432/', `:${port}/`)
  const password = randomBytes(16).toString('hex')
  await answered(() => inDatabase(url, `alter role conclave password '${password}'`), START_MS)
  return {
    pid,
    port,
    password,
    url,
    stop,
  }
}

/** Repeats an attempt until it succeeds. Throws the last error when `patienceMs` are over. */
export async function answered<T>(attempt: () => Promise<T>, patienceMs: number): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(100)
    }
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
