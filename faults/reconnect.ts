import WebSocket from 'ws'
import { openFilesMax } from '../bench/program.ts'
import { type SeedUser, seedUsers } from '../bench/seed.ts'
import { ask } from './ask.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { onGround } from './ground.ts'
import { now } from './recorder.ts'

const RESUMED_MS = 10_000
const GIVE_UP_MS = 40_000

/** Kills and restarts the server: all clients reconnect at once and ask what is new. */
export function reconnect({ isShort, patience }: Form): Promise<Outcome> {
  // Each connection takes a file descriptor on both ends, and each process needs some others.
  const count = Math.min(isShort ? 200 : 2000, Math.floor((openFilesMax() - 300) / 2))
  return onGround({ pairs: 4 }, async ({ server, port, databaseUrl }) => {
    const seeded = await seedUsers(await databaseUrl(), count)
    const sockets = await Promise.all(seeded.map((user) => resume(port, user, now() + GIVE_UP_MS)))
    const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket?.once('close', resolve))))
    await server.kill9()
    await closed
    await server.start()
    const readyAt = now()
    const again = await Promise.all(seeded.map((user) => resume(port, user, readyAt + GIVE_UP_MS)))
    const resumedMs = now() - readyAt
    const isHere = again.filter((socket) => socket?.readyState === WebSocket.OPEN).length
    for (const socket of again) socket?.terminate()
    return {
      faults: 1,
      summary: `${isHere} of ${count} sockets at once, all with their contacts after ${seconds(resumedMs)}`,
      complaints: [
        ...must(isHere === count, `${count - isHere} did not come back or were dropped again`),
        ...atMost('all resumed', resumedMs, RESUMED_MS * patience, 'ms'),
      ],
    }
  })
}

/** Opens a socket, waits for its first frame and reads the room list. Retries until all of it succeeds or time is up. */
async function resume(port: number, { cookie }: SeedUser, deadline: number): Promise<WebSocket | undefined> {
  while (now() < deadline) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie }, perMessageDeflate: false })
    const isGreeted = await new Promise<boolean>((resolve) => {
      socket.once('message', () => resolve(true))
      socket.once('close', () => resolve(false))
      socket.on('error', () => undefined)
    })
    const rooms = isGreeted ? await ask(port, { method: 'GET', path: '/api/rooms', cookie }) : undefined
    if (rooms?.status === 200) return socket
    socket.terminate()
    await pause(100 + 300 * Math.random())
  }
  return undefined
}
