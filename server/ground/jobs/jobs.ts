import type { Env } from '../../env.ts'
import { inTime } from '../db/askTogether.ts'
import type { Database } from '../db/connect.ts'
import { refusalOf } from '../http/errors.ts'
import * as store from './store.ts'

/** Work that runs periodically. */
export interface Job {
  /** The job's key in the table `jobs`, which must never change. */
  name: string
  /** Time from one start to the next. */
  periodSeconds: number
  /** Does one bounded piece of the work. Returns true if more is left. Must be idempotent. */
  work: (env: Env) => Promise<boolean>
}

export interface Jobs {
  /** Checks every minute which jobs are due. */
  start(): void
  /** Runs all due jobs, one after another. A call during a run waits for that run. */
  runDue(): Promise<void>
  /** Starts no more pieces and waits for the current one. */
  stop(): Promise<void>
}

interface Options {
  env: Env
  pool: Database['pool']
  jobs: readonly Job[]
  /** Called with a job's error and name. */
  report: (error: unknown, name: string) => void
  /** Called with the outcome of each run. */
  onRun?: ((name: string, outcome: store.Run['outcome']) => void) | undefined
}

const LOOK_MS = 60_000
/** A piece that takes longer counts as failed, because it waits for a dead connection. Other jobs go on. */
const PIECE_MS = 120_000

/**
 * Runs jobs by env.clock. A lock lets one server at a time run a job. The job's last start in the table `jobs` decides when it is
 * due, so that a restart repeats nothing and missed periods are made up for once. A failed job runs again after its period.
 */
export function makeJobs({ env, pool, jobs, report, onRun }: Options): Jobs {
  let underWay: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  async function runAll(): Promise<void> {
    const runs = new Map((await inTime(store.findRuns(env.db), PIECE_MS)).map((run) => [run.name, run]))
    for (const job of jobs) {
      if (isStopping) return
      const last = runs.get(job.name)
      if (!isDue(job, last, env.clock())) continue
      await store.whileLocked(pool, job.name, () => run(job, last)).catch((error: unknown) => tell(error, job.name))
    }
  }

  async function run(job: Job, last: store.Run | undefined): Promise<void> {
    if (!(await store.noteStart(env.db, job.name, last, env.clock()))) return
    const outcome = await workOn(job)
    onRun?.(job.name, outcome)
    await store.noteEnd(env.db, job.name, outcome, env.clock())
  }

  async function workOn(job: Job): Promise<'done' | 'failed' | 'stopped'> {
    try {
      while (await inTime(job.work(env), PIECE_MS)) if (isStopping) return 'stopped'
      return 'done'
    } catch (error) {
      report(error, job.name)
      return 'failed'
    }
  }

  const tell = (error: unknown, name: string): void => {
    // No job has started. An unreachable database is no bug; the next check is in a minute.
    if (!refusalOf(error)) report(error, name)
  }

  const runDue = (): Promise<void> => {
    underWay ??= runAll()
      .catch((error: unknown) => tell(error, 'jobs'))
      .finally(() => {
        underWay = undefined
      })
    return underWay
  }

  return {
    start() {
      timer = setInterval(() => void runDue(), LOOK_MS)
    },
    runDue,
    async stop() {
      isStopping = true
      clearInterval(timer)
      await underWay
    },
  }
}

function isDue({ periodSeconds }: Job, last: store.Run | undefined, now: Date): boolean {
  if (!last || last.outcome === 'stopped') return true
  const sinceMs = now.getTime() - last.lastStartedAt.getTime()
  // A start far in the future was written with a wrong clock.
  return Math.abs(sinceMs) >= periodSeconds * 1000
}
