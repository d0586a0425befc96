import WebSocket from 'ws'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { openFilesMax, type Program, pause, pssOf, startBare, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { type SeedUser, seedUsers } from './seed.ts'

/** Sockets opened at once: the listen queue is bounded. */
const AT_ONCE = 50
const SETTLE_MS = 300

/** Measures the memory of an idle socket, each of another user, compared with a bare ws server. */
export async function measureSockets(ground: Ground): Promise<Row[]> {
  const [wanted, rounds] = ground.isQuick ? [200, 1] : [2000, 5]
  // Each socket takes a file descriptor on both ends, and each process needs a few others.
  const count = Math.min(wanted, openFilesMax() - 200)
  const databaseUrl = await ground.freshDatabase()
  const seeded = await seedUsers(databaseUrl, count)
  const product: Growth[] = []
  const bare: Growth[] = []
  for (let round = 0; round < rounds; round++) {
    product.push(await growthOf(await startProduct(databaseUrl), '/ws', seeded))
    bare.push(await growthOf(await startBare('bare.ts'), '/', seeded))
  }
  const kB = (growths: Growth[], pick: keyof Growth) => median(growths.map((growth) => growth[pick])) / 1000
  const beyond = `beyond the first ${Math.round(count / 4)} it is ${kB(product, 'beyond').toFixed(1)} kB`
  const note = `PSS of ${count} sockets, after a collection; ${beyond}; a bare ws server in the same run ${kB(bare, 'each').toFixed(1)} kB`
  return [
    row('sockets', 'memory of an idle live socket', kB(product, 'each'), 'kB', { atMost: 15, note }),
    row('sockets', 'the same against a bare ws server', kB(product, 'each') / kB(bare, 'each'), 'x'),
  ]
}

/** Bytes per socket: over all sockets, growth of the heap included, and over those after the first quarter. */
interface Growth {
  each: number
  beyond: number
}

/** Opens a socket for each user and reads the process's memory on the way. Stops the program. */
async function growthOf(program: Program, path: string, seeded: SeedUser[]): Promise<Growth> {
  const quarter = Math.round(seeded.length / 4)
  const sockets: WebSocket[] = []
  const sizes: number[] = []
  // The first sockets make the server load code, which is no cost of a socket.
  for (const upTo of [AT_ONCE, quarter, seeded.length]) {
    sockets.push(...(await openAll(program.port, path, seeded.slice(sockets.length, upTo))))
    sizes.push(await memoryOf(program))
  }
  const closed = sockets.filter((socket) => socket.readyState !== WebSocket.OPEN).length
  if (closed > 0) throw new Error(`${closed} sockets were closed while memory was read`)
  await closeAll(sockets)
  await program.stop()
  const [warm = 0, some = 0, all = 0] = sizes
  return {
    each: ((all - warm) * 1024) / (seeded.length - AT_ONCE),
    beyond: ((all - some) * 1024) / (seeded.length - quarter),
  }
}

async function memoryOf(program: Program): Promise<number> {
  await pause(SETTLE_MS)
  await program.collect()
  return pssOf(program.pid)
}

async function openAll(port: number, path: string, seeded: SeedUser[]): Promise<WebSocket[]> {
  const opened: WebSocket[] = []
  for (let from = 0; from < seeded.length; from += AT_ONCE) {
    const some = seeded.slice(from, from + AT_ONCE).map(({ cookie }) => openSocket(port, path, cookie))
    opened.push(...(await Promise.all(some)))
  }
  return opened
}

/** Opens a socket to the product or to a bare server. */
export function openSocket(port: number, path: string, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie }, perMessageDeflate: false })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

async function closeAll(sockets: WebSocket[]): Promise<void> {
  const ended = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  for (const socket of sockets) socket.close()
  await Promise.all(ended)
}
