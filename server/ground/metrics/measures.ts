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
  metrics.gauges('conclave_newest_hash', help, () =>
    last.map(({ chain, hash }) => ({ labels: { chain, hash: hash ?? 'none' }, value: 1 })),
  )
  return (anchors) => {
    last = anchors
  }
}

export function measureGaps(metrics: Metrics): (gaps: readonly { chain: string; unpaid: number }[]) => void {
  let last: Parameters<ReturnType<typeof measureGaps>>[0] = []
  const help = 'The longest row of unpaid addresses that the wallet must look past, read hourly'
  for (const chain of ['bitcoin', 'ethereum'])
    metrics.gauge(`conclave_unpaid_addresses_${chain}`, help, () => last.find((gap) => gap.chain === chain)?.unpaid ?? 0)
  return (gaps) => {
    last = gaps
  }
}

/** Returns a function that counts errors of the card provider by type. */
export const measureCardErrors = (metrics: Metrics): ((type: string) => void) => {
  const count = metrics.counter('conclave_card_errors_total', 'Errors that the card provider answers, by type')
  return (type) => count({ type })
}

/** Returns a function that counts the card provider's events: taken, or refused for their signature. */
export const measureCardEvents = (metrics: Metrics): ((outcome: 'taken' | 'refused') => void) => {
  const count = metrics.counter('conclave_card_events_total', 'Events of the card provider, taken or refused for their signature')
  return (outcome) => count({ outcome })
}

interface Alarms {
  lastEventAt: Date | null
  subscriptions: number
  oldestReviewAt: Date | null
  checks: readonly { name: string; finishedAt: Date; differing: number; mended: number }[]
}

/** Returns a function that takes what the job of alarms has read. Ages grow between its runs. */
export function measureAlarms(metrics: Metrics, clock: () => Date): (alarms: Alarms) => void {
  let last: Alarms | undefined
  const secondsSince = (at: Date) => Math.max(0, Math.round((clock().getTime() - at.getTime()) / 1000))
  const ageOf = (at: Date | null | undefined) => (at ? [{ labels: {}, value: secondsSince(at) }] : [])
  const ofChecks = (value: (check: Alarms['checks'][number]) => number) => () =>
    (last?.checks ?? []).map((check) => ({ labels: { check: check.name }, value: value(check) }))
  metrics.gauges('conclave_card_subscriptions', 'Card subscriptions that run', () =>
    last ? [{ labels: {}, value: last.subscriptions }] : [],
  )
  metrics.gauges('conclave_card_event_age_seconds', 'Since the newest event of the card provider', () => ageOf(last?.lastEventAt))
  metrics.gauges('conclave_coin_review_age_seconds', 'Since when a payment by coin waits for a person', () =>
    ageOf(last?.oldestReviewAt),
  )
  metrics.gauges(
    'conclave_check_differences',
    'What the last check of money has found and not mended',
    ofChecks(({ differing }) => differing),
  )
  metrics.gauges(
    'conclave_check_mended',
    'What the last check of money has mended',
    ofChecks(({ mended }) => mended),
  )
  metrics.gauges(
    'conclave_check_age_seconds',
    'Since the last check of money has ended',
    ofChecks(({ finishedAt }) => secondsSince(finishedAt)),
  )
  return (alarms) => {
    last = alarms
  }
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
