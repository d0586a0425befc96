import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { grantTier } from '../../money/ledger/ledger.ts'
import { portOf, startWorld } from '../../testing/world.ts'
import { makeMetrics } from './metrics.ts'
import { serveMetrics } from './port.ts'

const metrics = makeMetrics()
const world = await startWorld({ metrics })
const { alice, bob, eve } = await world.people()
const room = await alice.talksTo(bob)

test('figures are written as Prometheus reads them', () => {
  const some = makeMetrics()
  const count = some.counter('calls_total', 'Calls')
  const observe = some.histogram('call_seconds', 'Seconds', [0.1, 1])
  some.gauge('open', 'Open', () => 7)
  for (const reason of ['busy', 'busy', 'a "quoted\\\n"']) count({ reason })
  for (const seconds of [0.1, 0.5, 3]) observe(seconds, { route: '/x' })
  expect(some.text()).toBe(`# HELP calls_total Calls
# TYPE calls_total counter
calls_total{reason="busy"} 2
calls_total{reason="a \\"quoted\\\\\\n\\""} 1
# HELP call_seconds Seconds
# TYPE call_seconds histogram
call_seconds_bucket{route="/x",le="0.1"} 1
call_seconds_bucket{route="/x",le="1"} 2
call_seconds_bucket{route="/x",le="+Inf"} 3
call_seconds_sum{route="/x"} 3.6
call_seconds_count{route="/x"} 3
# HELP open Open
# TYPE open gauge
open 7
`)
})

async function openMetrics(): Promise<string> {
  const server = await serveMetrics(metrics, 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${portOf(server.address())}`
}

test('the operator sees requests by route and code, sockets, batches and connections, and nothing about people', async () => {
  const line = await bob.opensSocket()
  await alice.says(room, 'canary-in-the-content')
  expect(await eve.posts(room, 'let me in')).toBeRefused(404)
  await world.stranger().request('GET', `/api/canary-in-the-address-${randomUUID()}`)
  const text = await (await fetch(`${await openMetrics()}/metrics`)).text()
  const route = 'method="POST",route="/api/messages"'
  expect(text).toContain(`conclave_requests_total{${route},status="200",code="none"} 1\n`)
  expect(text).toContain(`conclave_requests_total{${route},status="404",code="not_found"} 1\n`)
  expect(text).toContain('conclave_requests_total{method="GET",route="unknown",status="404",code="not_found"} 1\n')
  expect(text).toContain(`conclave_request_seconds_count{${route}} 2\n`)
  expect(text).toContain('conclave_sockets 1\n')
  expect(text).toContain('conclave_waiting_messages 0\n')
  expect(text).toContain('conclave_flush_messages_count 1\n')
  expect(text).toMatch(/^conclave_database_connections_used \d+$/m)
  expect(text).toMatch(/^conclave_database_connections_open [1-9]\d*$/m)
  expect(text).not.toMatch(/canary|alice|bob|\beve\b|127\.0\.0\.1|[0-9a-f]{8}-[0-9a-f]{4}/)
  line.hangsUp()
})

test('Eve finds no figures at the public port, and nothing but figures at the other one', async () => {
  for (const path of ['/metrics', '/api/metrics']) expect(await eve.request('GET', path)).toBeRefused(404)
  const url = await openMetrics()
  for (const path of ['/', '/api/health', '/metrics/x']) expect((await fetch(url + path)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404)
})

test('a port that is taken is named', async () => {
  const taken = Number(new URL(await openMetrics()).port)
  await expect(serveMetrics(metrics, taken, '127.0.0.1')).rejects.toThrow(/^METRICS_PORT must be a free port/)
})

test('where the audit trail and the ledger end is in the log and in the metrics, so that another machine keeps it', async () => {
  await world.env.db.transaction((tx) => grantTier(tx, world.env.clock(), { userId: alice.id, tier: 'premium' }))
  await world.jobs.runDue()
  const [newest] = await world.sql("select encode(hash, 'hex') as hash from ledger_chain order by seq desc limit 1")
  expect(newest?.['hash']).toMatch(/^[0-9a-f]{64}$/)
  expect(metrics.text()).toContain(`conclave_newest_hash{chain="ledger",hash="${newest?.['hash']}"} 1`)
  expect(metrics.text()).toContain('conclave_newest_hash{chain="audit",hash="none"} 1')
  expect(world.log()).toContain(newest?.['hash'])
})
