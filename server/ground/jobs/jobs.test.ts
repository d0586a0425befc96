import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { startWorld } from '../../testing/world.ts'
import { connect } from '../db/connect.ts'
import { type Job, makeJobs } from './jobs.ts'
import { findRuns, noteStart, type Run } from './store.ts'

const world = await startWorld()
const { env } = world
const [place] = await world.sql('select current_database() as name')
const HOUR = 60 * 60

type Work = Job['work']
let count = 0

/** An hourly job with a name of its own. */
const newJob = (work: Work): Job => ({ name: `test-${++count}`, periodSeconds: HOUR, work })

const rowOf = async ({ name }: Job) => (await world.sql('select * from jobs where name = $1', [name]))[0]

/** A runner as another server would have it, with its own connections. */
function newNode(...jobs: Job[]) {
  const { db, pool } = connect(inject('clusterUrl').replace('/template?', `/${place?.['name']}?`))
  onTestFinished(() => pool.end())
  const reported: [string, unknown][] = []
  const runs: string[] = []
  const node = makeJobs({
    env: { ...env, db },
    pool,
    jobs,
    report: (error, name) => void reported.push([name, error]),
    onRun: (name, outcome) => void runs.push(`${name} ${outcome}`),
  })
  return Object.assign(node, { reported, runs })
}

/** Work that waits until the test ends it. */
function heldWork() {
  let end = (_isMore: boolean): void => undefined
  let begun = (): void => undefined
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const work: Work = () => {
    begun()
    return new Promise((resolve) => {
      end = resolve
    })
  }
  return { work, started, end: (isMore = false) => end(isMore) }
}

test('a job runs when its period has passed, a restart runs nothing, and what was missed is made up for once', async () => {
  let ran = 0
  const job = newJob(async () => {
    ran += 1
    return false
  })
  await newNode(job).runDue()
  expect(ran).toBe(1)
  expect(await rowOf(job)).toMatchObject({ outcome: 'done', last_finished_at: expect.any(Date) })
  world.passes(HOUR - 60)
  const node = newNode(job)
  await node.runDue()
  expect(ran).toBe(1)
  world.passes(60)
  await node.runDue()
  expect(ran).toBe(2)
  world.passes(30 * HOUR)
  for (let look = 0; look < 3; look++) await newNode(job).runDue()
  expect(ran).toBe(3)
})

test('work comes in pieces until nothing is left', async () => {
  let left = 4
  const job = newJob(async () => --left > 0)
  const node = newNode(job)
  await node.runDue()
  expect([left, node.runs]).toEqual([0, [`${job.name} done`]])
})

test('a job that throws is reported, keeps no other from running, and is tried again after its period', async () => {
  let isBroken = true
  const broken = newJob(async () => {
    if (isBroken) throw new Error('what people wrote')
    return false
  })
  const next = newJob(async () => false)
  const node = newNode(broken, next)
  await node.runDue()
  expect(node.reported).toEqual([[broken.name, new Error('what people wrote')]])
  expect(node.runs).toEqual([`${broken.name} failed`, `${next.name} done`])
  expect(await rowOf(broken)).toMatchObject({ outcome: 'failed' })
  isBroken = false
  await node.runDue()
  expect(node.runs).toHaveLength(2)
  world.passes(HOUR)
  await node.runDue()
  expect(await rowOf(broken)).toMatchObject({ outcome: 'done' })
})

test('many servers on one database run a job once, also where it takes longer than its period', async () => {
  const first = heldWork()
  let ran = 0
  // Who runs it although another one does is not held: the test would wait for both.
  const job = newJob(async (given) => {
    ran += 1
    return ran === 1 && (await first.work(given))
  })
  const nodes = Array.from({ length: 4 }, () => newNode(job))
  let ended = 0
  const runs = nodes.map(async (node) => {
    await node.runDue()
    ended += 1
  })
  await first.started
  // A server that looks only after the time has passed, and after the first has ended, would rightly run it once more.
  await vi.waitUntil(() => ended === nodes.length - 1)
  world.passes(3 * HOUR)
  // The lock keeps them from running the job, although it is due again.
  const late = newNode(job)
  await late.runDue()
  const ranMeanwhile = ran
  first.end()
  await Promise.all(runs)
  expect(ranMeanwhile).toBe(1)
  expect([...nodes, late].flatMap((node) => node.runs)).toEqual([`${job.name} done`])
})

test('of two servers that saw the same last run one starts the next, also when they come one after the other', async () => {
  const job = newJob(async () => false)
  const starts = async (before: Run | undefined) => [
    await noteStart(env.db, job.name, before, env.clock()),
    await noteStart(env.db, job.name, before, env.clock()),
  ]
  expect(await starts(undefined)).toEqual([true, false])
  const last = (await findRuns(env.db)).find((run) => run.name === job.name)
  world.passes(HOUR)
  expect(await starts(last)).toEqual([true, false])
})

test('a server that stops waits for the piece under way; the next one goes on at once', async () => {
  const held = heldWork()
  const job = newJob(held.work)
  const node = newNode(job)
  const run = node.runDue()
  await held.started
  let hasStopped = false
  const stop = node.stop().then(() => {
    hasStopped = true
  })
  await rowOf(job)
  expect(hasStopped).toBe(false)
  held.end(true)
  await Promise.all([run, stop])
  expect(await rowOf(job)).toMatchObject({ outcome: 'stopped' })
  await node.runDue()
  expect(node.runs).toEqual([`${job.name} stopped`])
  const next = newNode({ ...job, work: async () => false })
  await next.runDue()
  expect(next.runs).toEqual([`${job.name} done`])
})

test('a server that dies in the middle of a job keeps nobody from running it in the next period', async () => {
  const held = heldWork()
  const job = newJob(held.work)
  const dying = newNode(job)
  const run = dying.runDue()
  await held.started
  // Ends the lock's connection, as the database sees it when a process is killed.
  await world.sql("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 2")
  await expect.poll(() => world.sql("select 1 from pg_locks where locktype = 'advisory' and objsubid = 2")).toEqual([])
  const next = newNode({ ...job, work: async () => false })
  await next.runDue()
  expect(next.runs).toEqual([])
  expect(await rowOf(job)).toMatchObject({ outcome: 'running', last_finished_at: null })
  world.passes(HOUR)
  await next.runDue()
  expect(next.runs).toEqual([`${job.name} done`])
  held.end()
  await run
})

test('a start in the future, noted by a clock that was wrong, does not hold a job for ever', async () => {
  const job = newJob(async () => false)
  const node = newNode(job)
  await node.runDue()
  await world.sql("update jobs set last_started_at = '2999-01-01Z' where name = $1", [job.name])
  await node.runDue()
  expect(node.runs).toHaveLength(2)
})

test('Eve cannot start a job by any address or frame, nor can an ordinary request', async () => {
  const { alice, bob, eve } = await world.people()
  const names = ['expired-sessions', 'stale-requests', 'unused-key-packages']
  const ofServer = () => world.sql('select name, last_started_at from jobs where name = any($1) order by name', [names])
  await world.jobs.runDue()
  const before = await ofServer()
  expect(before.map((row) => row['name'])).toEqual(names)
  world.passes(2 * 24 * HOUR)
  for (const path of ['/api/jobs', ...names.map((name) => `/api/jobs/${name}`), '/jobs', '/api/admin/jobs']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect((await eve.request(method, path)).status).toBe(404)
  }
  await eve.proves(eve.deviceId)
  const line = await eve.opensSocket()
  for (const name of names) {
    line.says({ type: 'job', data: { name } })
    expect((await line.hears('refused')).data.code).toBe('malformed_frame')
  }
  line.hangsUp()
  await alice.says(await alice.talksTo(bob), 'hello')
  expect(await ofServer()).toEqual(before)
  await world.jobs.runDue()
  expect(await ofServer()).not.toEqual(before)
})

test('a job that fails is in the log by its name and place, without what the error says', async () => {
  await world.sql('alter table contacts rename to contacts_away')
  try {
    world.passes(2 * 24 * HOUR)
    await world.jobs.runDue()
  } finally {
    await world.sql('alter table contacts_away rename to contacts')
  }
  const line = world
    .log()
    .split('\n')
    .find((each) => each.includes('"incidentId":"job stale-requests"'))
  expect(line).toContain('"code":"42P01"')
  expect(line).not.toMatch(/does not exist|Failed query|delete from/)
  expect(await world.sql("select outcome from jobs where name = 'stale-requests'")).toEqual([{ outcome: 'failed' }])
})
