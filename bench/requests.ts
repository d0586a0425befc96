import { everyEndpoint } from '../contract/every.ts'
import type { Endpoint } from '../contract/ground/endpoint.ts'
import { coinsApi } from '../contract/money/coins.ts'
import { ordered } from '../server/testing/browser.ts'
import { DEAREST } from './dearest.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { loopMsOf, type Program, pause, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { makeScene, type Request, type Scene } from './scene.ts'

/** What the loop may spend on one request: everybody else waits meanwhile. */
const LOOP_MS = 50
/** What a request started is over by then. */
const SETTLE_MS = 30

interface Cost {
  loopMs: number
  status: number
  bytesIn: number
  bytesOut: number
}

/** The dearest input of every call that its schema and the limits let in: time of the server's event loop, bytes in and out. */
export async function measureRequests(ground: Ground): Promise<Row[]> {
  const databaseUrl = await ground.freshDatabase()
  const server = await startProduct(databaseUrl, { LOG_LEVEL: 'silent' })
  const scene = await makeScene(databaseUrl, `http://127.0.0.1:${server.port}`, ground.isQuick)
  const rows: Row[] = []
  for (const endpoint of everyEndpoint) {
    const name = `${endpoint.method} ${endpoint.path}`
    const requests = DEAREST[name]
    if (!requests) throw new Error(`bench/dearest.ts has no input for ${name}`)
    const costs = []
    for (const [what, make] of Object.entries(requests))
      costs.push({ what, cost: await costOf(server, scene, endpoint, make, ground.isQuick) })
    const { what, cost } = costs.reduce((most, each) => (each.cost.loopMs > most.cost.loopMs ? each : most))
    const note = `${kB(cost.bytesIn)} in, ${kB(cost.bytesOut)} out, answered ${cost.status}; ${what}`
    rows.push(row('requests', name, cost.loopMs, 'ms', { atMost: LOOP_MS, note }))
  }
  await server.stop()
  return rows
}

/** The median of some rounds; the first ones compile. */
async function costOf({ pid }: Program, scene: Scene, endpoint: Endpoint, make: Request, isQuick: boolean): Promise<Cost> {
  const [warmups, rounds] = isQuick ? [1, 1] : [3, 7]
  const costs: Cost[] = []
  for (let round = 0; round < warmups + rounds; round++) {
    const { who, input: unsigned } = await make(scene)
    // The challenge that an order signs is a call of its own.
    const input = Object.assign(unsigned, await ordered(who, endpoint, unsigned))
    await pause(SETTLE_MS)
    const before = loopMsOf(pid)
    const { status, body } = await who.tries(endpoint, input)
    await pause(SETTLE_MS)
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')
    if (round >= warmups) costs.push({ loopMs: loopMsOf(pid) - before, status, bytesIn: bytes(input), bytesOut: bytes(body) })
  }
  const [first] = costs
  // Prices are refused by 503 where no source of them is configured.
  const mayFail = endpoint === coinsApi.prices
  if (!first || [413, 429].includes(first.status) || (first.status >= 500 && !mayFail))
    throw new Error(`${endpoint.path} was answered ${first?.status}`)
  return { ...first, loopMs: median(costs.map(({ loopMs }) => loopMs)) }
}

const kB = (bytes: number): string =>
  `${(bytes / 1000).toLocaleString('en', { maximumFractionDigits: bytes < 10_000 ? 1 : 0 })} kB`
