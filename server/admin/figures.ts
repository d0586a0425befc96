import type { z } from 'zod'
import type { adminApi } from '../../contract/admin/admin.ts'
import { ADMIN_LIMITS } from '../../contract/admin/adminlimits.ts'
import { CONTRACT_VERSION } from '../../contract/ground/limits.ts'
import { type Tier, tierShape } from '../../contract/money/plans.ts'
import type { Env } from '../env.ts'
import type { NoteAnswer } from '../ground/http/log.ts'
import { lastEvent, listChecks } from '../money/check/checks.ts'
import { tierOf } from '../money/plans/plans.ts'
import * as store from './store-figures.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Counts the answers of this process, and how many of them were errors of the server. */
export function countAnswers(): { note: NoteAnswer; read: () => { answers: number; errors: number } } {
  let [answers, errors] = [0, 0]
  return {
    note: ({ status }) => {
      answers += 1
      if (status >= 500) errors += 1
    },
    read: () => ({ answers, errors }),
  }
}
export type Answers = ReturnType<typeof countAnswers>

/** Counts the accounts of each plan. */
export async function subscriptionStats(env: Env): Promise<Record<Tier | 'total', number>> {
  const stats = { free: 0, test: 0, premium: 0, master: 0, enterprise: 0, total: 0 }
  for (const { tier, people } of await store.countPlans(env.db, env.clock())) {
    stats[tierOf(tier)] += people
    stats.total += people
  }
  return stats
}

/** A piece of a job. */
export async function sumPlans(env: Env): Promise<boolean> {
  await store.foldPlanCounts(env.db, env.clock())
  return false
}

/** A count of people, unless there are so few that it could point at one. */
const blurred = (people: number): number | null => (people < ADMIN_LIMITS.fewPeople ? null : people)

/** Reads the sums of the last days, the plans, and what is stored. Nothing of it is of a single person. */
export async function readAnalytics(env: Env): Promise<z.input<typeof adminApi.analytics.output>> {
  const now = env.clock()
  const since = dayOf(new Date(now.getTime() - (ADMIN_LIMITS.analyticsDays - 1) * DAY_MS))
  const [days, stats, storageBytes] = await Promise.all([
    store.findDays(env.db, since, ADMIN_LIMITS.analyticsDays),
    subscriptionStats(env),
    store.readStorage(env.db),
  ])
  return {
    days: days.map(({ day, signUps, active, messages }) => ({
      ...{ day, signUps: blurred(signUps), active: blurred(active) },
      // What so few have written points at them too.
      messages: blurred(active) === null ? null : messages,
    })),
    plans: tierShape.options.map((tier) => ({ tier, people: stats[tier] })),
    storageBytes: storageBytes ?? null,
  }
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** Writes the sums of today and of yesterday, which has ended since, and what is stored. One piece of a job. */
export async function writeFigures(env: Env): Promise<boolean> {
  const now = env.clock().getTime()
  for (const day of [new Date(now - DAY_MS), new Date(now)]) await store.writeDay(env.db, dayOf(day))
  await store.writeStorage(env.db, dayOf(new Date(now)))
  return false
}

/** Describes what runs here. */
export async function readSystem(env: Env, startedAt: Date, answers: Answers): Promise<z.input<typeof adminApi.system.output>> {
  const { jobs, ...database } = await store.describeDatabase(env.db)
  const checks = await listChecks(env)
  return {
    ...database,
    ...answers.read(),
    contractVersion: CONTRACT_VERSION,
    nodeVersion: process.version,
    startedAt: startedAt.toISOString(),
    sockets: env.hub.size(),
    jobs: jobs.map(({ lastStartedAt, ...job }) => ({ ...job, lastStartedAt: lastStartedAt.toISOString() })),
    checks: checks.map(({ finishedAt, ...check }) => ({ ...check, finishedAt: finishedAt.toISOString() })),
    cards: env.card.provider === 'off' ? null : await readCards(env),
  }
}

async function readCards(env: Env) {
  const { taken, refused } = env.card.notes.events()
  // One for nobody of this server had no effect, and shows that events come.
  const last = Math.max(taken.lastAt?.getTime() ?? 0, (await lastEvent(env))?.getTime() ?? 0)
  return {
    lastEventAt: last === 0 ? null : new Date(last).toISOString(),
    ...{ refusedEvents: refused.count, lastRefusedAt: refused.lastAt?.toISOString() ?? null },
    errors: env.card.notes.failures().map(({ at, ...failure }) => ({ ...failure, at: at.toISOString() })),
  }
}
