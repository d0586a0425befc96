import { randomInt } from 'node:crypto'
import { isPostgres } from '../server/ground/db/postmaster.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { type Ground, onGround } from './ground.ts'
import { type HealthSample, watchHealth } from './health.ts'
import { backendsOf, postmasterOf, processesOf, requireProc, signal } from './postgres.ts'
import { type Attempt, inSilence, now, recoveredEverywhere } from './recorder.ts'

/** Bound on everything after a kill: every room is acknowledged again, and whatever was under way is answered. */
const BACK_MS = 5000
const WATCH_MS = 20_000

/** Resolves when all that were killed or ended by it are gone. */
type Kill = (ground: Ground) => Promise<void>

/** What SIGKILL ends, in turn. */
const KILLS: Kill[] = [killFirst, killAll, killOne]

/** Kills PostgreSQL with SIGKILL, under load: it is back within 5 s each time, and nobody is told anything else meanwhile. */
export function killPostgres({ isShort, patience }: Form): Promise<Outcome> {
  requireProc()
  const count = isShort ? KILLS.length : 10
  return onGround({}, async (ground) => {
    const { server, port, pairs, history } = ground
    const roomIds = pairs.map(({ chatRoomId }) => chatRoomId)
    const alive = server.pid()
    const health = watchHealth(port)
    const backMs: (number | undefined)[] = []
    const healthyMs: (number | undefined)[] = []
    for (const kill of Array.from({ length: count }, (_, at) => KILLS[at % KILLS.length] ?? killFirst)) {
      await pause(randomInt(200, 800))
      const killed = now()
      await kill(ground)
      const gone = now()
      await silence(server.dataFolder, history)
      const sinceKill = (at: number | undefined) => at && at - killed
      const isBack = () => recoveredEverywhere(history, gone, roomIds) && health.wellFrom(gone)
      while (!isBack() && now() - killed < WATCH_MS) await pause(50)
      backMs.push(sinceKill(recoveredEverywhere(history, gone, roomIds)))
      healthyMs.push(sinceKill(health.wellFrom(gone)))
    }
    const samples = await health.stop()
    const [slowest, slowestHealth] = [backMs, healthyMs].map((all) =>
      all.includes(undefined) ? undefined : Math.max(...all.map((ms) => ms ?? 0)),
    )
    const patient = history.attempts.filter(({ outcome }) => outcome === 'unknown')
    const codes = [...new Set(patient.map(({ code }) => code))]
    const longest = Math.max(0, ...history.attempts.map(lengthOf))
    return {
      faults: count,
      summary: `${count} kills, of the first process, of all of them and of one connection; each room acknowledged again after ${seconds(slowest)} at most, health right after ${seconds(slowestHealth)}; ${patient.length} were told to try again, the longest waited ${seconds(longest)}`,
      complaints: [
        ...atMost('each room was acknowledged again', slowest, BACK_MS * patience, 'ms'),
        ...atMost('health said so', slowestHealth, BACK_MS * patience, 'ms'),
        ...atMost('the longest request', longest, BACK_MS * patience, 'ms'),
        ...must(codes.join() === 'unavailable', `what was under way was told ${codes.join(', ') || 'nothing'}`),
        ...must(server.pid() === alive, 'the server did not live through it'),
        ...wrongWords(samples, history.silences),
      ],
    }
  })
}

const lengthOf = ({ startedAt, endedAt }: Attempt): number => endedAt - startedAt

/** The server has to find what outlives the first process. */
async function killFirst({ server: { dataFolder } }: Ground): Promise<void> {
  const all = processesOf(dataFolder)
  // One that stands still would hold the data for ever.
  signal(backendsOf(dataFolder).slice(0, 1), 'SIGSTOP')
  signal(all.slice(0, 1), 'SIGKILL')
  await ended(all)
}

/** As a power cut does. */
async function killAll({ server: { dataFolder } }: Ground): Promise<void> {
  const all = processesOf(dataFolder)
  signal(all, 'SIGKILL')
  await ended(all)
}

/** The first process then ends all others. Until it has, they go on acknowledging. */
async function killOne({ server: { dataFolder } }: Ground): Promise<void> {
  const backends = backendsOf(dataFolder)
  signal(backends.slice(0, 1), 'SIGKILL')
  await ended(backends)
}

async function ended(pids: number[]): Promise<void> {
  const deadline = now() + WATCH_MS
  while (pids.some(isPostgres) && now() < deadline) await pause(1)
}

/** Nothing can be stored until a new first process runs. */
const silence = (dataFolder: string, history: Ground['history']): Promise<void> =>
  inSilence(history, async () => {
    const deadline = now() + WATCH_MS
    while (postmasterOf(dataFolder) === undefined && now() < deadline) await pause(1)
  })

/** A probe within a silence must be told that the database is away. */
function wrongWords(samples: HealthSample[], silences: { from: number; to: number }[]): string[] {
  const odd = samples.filter(({ status }) => status !== 200 && status !== 503)
  const false200 = samples.filter(
    ({ status, from, to }) => status === 200 && silences.some((silence) => from > silence.from && to < silence.to),
  )
  return [
    ...must(odd.length === 0, `health answered ${[...new Set(odd.map(({ status }) => status))].join(', ')}`),
    ...must(false200.length === 0, `health said ${false200.length} times that all was well while nothing ran`),
    ...must(
      samples.some(({ database }) => database === 'away'),
      'health never said that the database was away',
    ),
  ]
}
