import { type Pair, seedPairs } from '../bench/seed.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { type RunningServer, startServer } from '../e2e/server.ts'
import { runningUrl } from '../server/ground/db/embedded.ts'
import { checkLaw } from './checker.ts'
import { type Load, type LoadOptions, pause, startLoad } from './clients.ts'
import { atMost, type Finding, type Outcome } from './fault.ts'
import { readLogPage } from './pages.ts'
import { endPostgres } from './postgres.ts'
import { type History, newHistory, now, operationsIn } from './recorder.ts'
import { readEpochs, readStored } from './stored.ts'

/** A running server under load, with the history of its clients. */
export interface Ground {
  server: RunningServer
  port: number
  /** The database's address, for reads that bypass the server. It changes when PostgreSQL restarts with the server. */
  databaseUrl(): Promise<string>
  pairs: Pair[]
  history: History
  load: Load
}

interface Options extends LoadOptions {
  pairs?: number
  /** Number of pairs under load; all by default. */
  loaded?: number
  /** Environment variables of the server. */
  env?: Record<string, string>
}

const STOP_MS = 30_000
const READ_MS = 20_000
const WARM_MS = 400
const open = new Set<RunningServer>()

/** Runs a fault on a new server under load, waits for the clients to finish, and checks the history against the database. */
export async function onGround(options: Options, work: (ground: Ground) => Promise<Finding>): Promise<Outcome> {
  const server = await startServer({ LOG_LEVEL: 'error', DATABASE_URL: '', RATE_LIMITS: 'off', ...options.env })
  open.add(server)
  try {
    const databaseUrl = async () => {
      const url = await runningUrl(server.dataFolder, 'conclave')
      if (!url) throw new Error('PostgreSQL does not run')
      return url
    }
    const pairs = await seedPairs(await databaseUrl(), options.pairs ?? 8)
    const firstEpochs = await readEpochs(await databaseUrl())
    const history = newHistory()
    const port = Number(new URL(server.url).port)
    const load = startLoad(port, pairs.slice(0, options.loaded), history, options)
    await pause(WARM_MS)
    const finding = await work({ server, port, databaseUrl, pairs, history, load }).catch((error: unknown): Finding => {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { faults: 1, summary: 'broke off', complaints: [`${words}\n${server.output().slice(-2000)}`] }
    })
    const { undecided, failures } = await load.stop()
    const complaints = [...finding.complaints, ...failures.map((failure) => `a client broke: ${failure.stack}`)]
    if (undecided > 0) complaints.push(`${undecided} messages were neither acknowledged nor refused in the end`)
    await readAll(port, pairs, history)
    const stored = await readStored(await databaseUrl(), firstEpochs)
    const verdict = checkLaw(history, stored)
    const stoppedMs = await close(server)
    complaints.push(...atMost('the server stopped', stoppedMs, STOP_MS / 2, 'ms'))
    return { ...finding, complaints, verdict, operations: operationsIn(history) }
  } finally {
    await close(server)
  }
}

/** Both members of each room read its whole log. */
async function readAll(port: number, pairs: Pair[], history: History): Promise<void> {
  const deadline = now() + READ_MS
  for (const { sender, receiver, chatRoomId } of pairs) {
    for (const person of [sender, receiver]) {
      for (let after = 0; now() < deadline; ) {
        const page = await readLogPage(
          port,
          person,
          { roomId: chatRoomId, after, limit: LIMITS.logPageMax, isFinal: true },
          history,
        )
        if (!page) await pause(100)
        else if (page.entries.length === 0) break
        else after = page.entries.at(-1)?.seq ?? after
      }
    }
  }
}

/** Stops the server and the processes it left running. Returns the time of the stop, in ms. */
async function close(server: RunningServer): Promise<number> {
  if (!open.delete(server)) return 0
  const startedAt = now()
  const late = setTimeout(() => void server.kill9(), STOP_MS)
  // The data folder may be a mount point, which cannot be removed.
  await server.stop().catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
  })
  clearTimeout(late)
  const stoppedMs = now() - startedAt
  await endPostgres(server.dataFolder)
  return stoppedMs
}

/** Stops every running server, after the run was interrupted. */
export async function closeGrounds(): Promise<void> {
  for (const server of [...open]) {
    await server.kill9()
    await close(server)
  }
}
