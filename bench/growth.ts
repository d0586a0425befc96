import { readFileSync } from 'node:fs'
import WebSocket from 'ws'
import { type Ground, inDatabase } from './ground.ts'
import { median, sum } from './numbers.ts'
import { loopMsOf, type Program, pause, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { type Pair, seedRoomsOf, seedUsers } from './seed.ts'
import { openWire, requestOf, timed, type Wire } from './wire.ts'

const AT_MOST = 1.5
const MESSAGES = 100
const BYTES = 512

/** Who asks is the sender. */
interface Account extends Pair {
  counter: string
}

interface Scene {
  databaseUrl: string
  server: Program
  wire: Wire
}

/** One call for an account. Returns the ms that it took, where that is not what the step took. */
type Step = (scene: Scene, account: Account) => Promise<number>

const get = async ({ wire }: Scene, { sender }: Account, path: string) => await timed(wire, requestOf('GET', path, sender.cookie))

async function list(scene: Scene, account: Account, query: string): Promise<number> {
  const { ms, body } = await get(scene, account, `/api/rooms${query}`)
  account.counter = String(JSON.parse(body.toString()).counter)
  return ms
}

const asks =
  (path: string): Step =>
  async (scene, account) =>
    (await get(scene, account, path)).ms

/** From opening a socket until a friend at another one hears of it. */
async function arrives({ server }: Scene, { sender, receiver }: Account): Promise<number> {
  const watching = await opened(server, receiver.cookie)
  const heard = (isOnline: boolean) =>
    new Promise<void>((resolve) =>
      watching.on('message', function each(bytes) {
        const { type, data } = JSON.parse(String(bytes))
        if (type !== 'presence' || data.userId !== sender.id || data.isOnline !== isOnline) return
        watching.off('message', each)
        resolve()
      }),
    )
  const here = heard(true)
  const startedAt = performance.now()
  const own = await opened(server, sender.cookie)
  await here
  const ms = performance.now() - startedAt
  const gone = heard(false)
  own.terminate()
  await gone
  watching.terminate()
  // The friend's own leaving is written.
  await pause(20)
  return ms
}

async function opened({ port }: Program, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie } })
  await new Promise((resolve) => socket.once('message', resolve))
  return socket
}

/** Each with how often an account makes it in a round. */
const STEPS: [name: string, times: number, step: Step][] = [
  ['first page of the room list', 12, (scene, account) => list(scene, account, '?limit=10')],
  ['the room list, nothing new', 12, (scene, account) => list(scene, account, `?since=${account.counter}`)],
  [
    'the room list, one change',
    12,
    async (scene, account) => {
      await inDatabase(
        scene.databaseUrl,
        `update chat_participants set read_at = now() where chat_room_id = '${account.chatRoomId}' and user_id = '${account.sender.id}'`,
      )
      return await list(scene, account, `?since=${account.counter}`)
    },
  ],
  ['GET /api/notifications', 12, asks('/api/notifications?limit=10')],
  ['unread count', 12, asks('/api/notifications/unread-count')],
  ['GET /api/contacts', 4, asks('/api/contacts?limit=10')],
  ['presence at a socket’s opening', 4, arrives],
]

/** Measures what grows with the rooms of an account: each call with 10, 1,000 and 5,000 rooms, in turn. */
export async function measureGrowth(ground: Ground): Promise<Row[]> {
  const [sizes, rounds] = ground.isQuick ? [[10, 20, 50], 1] : [[10, 1000, 5000], 5]
  const databaseUrl = await ground.freshDatabase()
  const accounts: Account[] = []
  for (const contacts of sizes) {
    const [user] = await seedUsers(databaseUrl, 1)
    if (!user) throw new Error('No user was seeded')
    accounts.push({ ...(await seedRoomsOf(databaseUrl, user, { contacts, messages: MESSAGES, bytes: BYTES })), counter: '' })
  }
  await inDatabase(databaseUrl, 'vacuum analyze')
  await inDatabase(databaseUrl, 'checkpoint')
  const server = await startProduct(databaseUrl)
  const scene = { databaseUrl, server, wire: await openWire(server.port) }
  const results = STEPS.map(() => accounts.map(() => ({ ms: [] as number[], spent: [] as number[] })))
  for (let round = -1; round < rounds; round++) {
    for (const [at, [, times, step]] of STEPS.entries()) {
      for (const [size, account] of accounts.entries()) {
        for (let time = 0; time < times; time++) {
          const before = spentMs(ground, server)
          const ms = await step(scene, account)
          // The first round warms up.
          if (round < 0) continue
          results[at]?.[size]?.ms.push(ms)
          results[at]?.[size]?.spent.push(spentMs(ground, server) - before)
        }
      }
    }
  }
  scene.wire.close()
  await server.stop()
  return STEPS.map(([name], at) => {
    const [least, ...more] = results[at] ?? []
    const ratios = more.map(({ ms }) => median(ms) / median(least?.ms ?? []))
    const said = (results[at] ?? []).map(({ ms, spent }) => `${median(ms).toFixed(2)} ms (${median(spent).toFixed(2)})`)
    return row('growth', name, Math.max(...ratios), 'x', {
      ...{
        atMost: AT_MOST,
        note: `with ${sizes.join(', ')} rooms: ${said.join(', ')}; in brackets processor time of server and PostgreSQL`,
      },
    })
  })
}

/** Processor time of the server's first thread and of PostgreSQL's processes. */
function spentMs(ground: Ground, server: Program): number {
  const postgres = ground.postgresPid()
  const children = readFileSync(`/proc/${postgres}/task/${postgres}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return loopMsOf(server.pid) + sum(children.map(loopMsOf))
}
