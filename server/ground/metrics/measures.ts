import type { Env } from '../../env.ts'
import type { Database } from '../db/connect.ts'
import type { NoteAnswer } from '../http/log.ts'
import type { Metrics } from './metrics.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** Returns a function that counts requests by route and code, and measures their duration. */
export function measureAnswers(metrics: Metrics): NoteAnswer {
  const count = metrics.counter('conclave_requests_total', 'Answered requests; code is the reason of a refusal')
  const observe = metrics.histogram('conclave_request_seconds', 'Seconds from a request to its answer', SECONDS)
  return ({ method, route, status, code, ms }) => {
    count({ method, route, status: String(status), code: code ?? 'none' })
    observe(ms / 1000, { method, route })
  }
}

/** Returns a function that records how many messages have shared a COMMIT. Pass it to the batch. */
export const measureFlushes = (metrics: Metrics): ((size: number) => void) => {
  const observe = metrics.histogram('conclave_flush_messages', 'Messages that shared a COMMIT', SIZES)
  return (size) => observe(size)
}

/** Returns a function that counts runs of jobs by outcome. Pass it to the jobs. */
export const measureJobs = (metrics: Metrics): ((job: string, outcome: string) => void) => {
  const count = metrics.counter('conclave_jobs_total', 'Runs of jobs by how they ended')
  return (job, outcome) => count({ job, outcome })
}

export function measureAnchors(metrics: Metrics): (anchors: readonly { chain: string; hash: string | null }[]) => void {
  let last: Parameters<ReturnType<typeof measureAnchors>>[0] = []
  const help = 'The newest hash of the audit trail and of the ledger, read once a day'
  metrics.info('conclave_newest_hash', help, () => last.map(({ chain, hash }) => ({ chain, hash: hash ?? 'none' })))
  return (anchors) => {
    last = anchors
  }
}

/** Returns a function that counts errors of the card provider by type. */
export const measureCardErrors = (metrics: Metrics): ((type: string) => void) => {
  const count = metrics.counter('conclave_card_errors_total', 'Errors that the card provider answers, by type')
  return (type) => count({ type })
}

/** Measures open sockets, waiting messages and database connections. */
export function measureServer(metrics: Metrics, { hub, batch }: Env, { pool }: Database): void {
  metrics.gauge('conclave_sockets', 'Open sockets', () => hub.size())
  metrics.gauge('conclave_waiting_messages', 'Messages that wait for a COMMIT to begin', () => batch.waiting())
  metrics.gauge('conclave_database_connections_used', 'Connections in use', () => pool.totalCount - pool.idleCount)
  metrics.gauge('conclave_database_connections_open', 'Connections in use or ready', () => pool.totalCount)
  metrics.gauge('conclave_database_waiting', 'Queries that wait for a connection', () => pool.waitingCount)
  metrics.gauge('process_resident_memory_bytes', 'Memory of this process', () => process.memoryUsage.rss())
}
