import type { Database } from '../db/connect.ts'
import { inTime } from '../db/together.ts'
import type { Env } from '../env.ts'
import { refusalOf } from '../http/errors.ts'
import * as store from './store.ts'

/** Something that happens by the clock. */
export interface Job {
  /** Names it in the table `jobs`, for good. */
  name: string
  /** From one start to the next. */
  periodSeconds: number
  /** Does one bounded piece of the work. True where more is left. A piece that is done twice does no harm. */
  work: (env: Env) => Promise<boolean>
}

export interface Jobs {
  /** Looks every minute for what is due. */
  start(): void
  /** Runs what is due, one job after another. While it is under way, a second call waits for the same. */
  runDue(): Promise<void>
  /** Begins nothing more and waits for the piece under way. */
  stop(): Promise<void>
}

interface Options {
  env: Env
  pool: Database['pool']
  jobs: readonly Job[]
  /** Told what a job threw, and its name. */
  report: (error: unknown, name: string) => void
  /** Told how each run ended. */
  onRun?: ((name: string, outcome: store.Run['outcome']) => void) | undefined
}

const LOOK_MS = 60_000
/** A piece that takes longer waits for a connection that is dead in silence: the others go on. */
const PIECE_MS = 120_000

/**
 * Runs jobs by env.clock. Among the servers on one database one at a time runs a job: by a lock, and by its last start in the
 * table `jobs`, so that a restart runs only what is due, and what was missed once. A job that fails is tried again after its
 * period.
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
    // Nothing was begun: a database that is away is no mistake, and is asked again in a minute.
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
  // A start far ahead is of a clock that was wrong.
  return Math.abs(sinceMs) >= periodSeconds * 1000
}
