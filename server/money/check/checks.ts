import { ADMIN_LIMITS } from '../../../contract/admin/adminlimits.ts'
import type { Env } from '../../env.ts'
import type { CheckEnv, Walk } from './difference.ts'
import * as store from './store.ts'
import { type Mending, newWalk, stepWalk } from './walk.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 60 * 60 * 1000
/** Disputes are decided within it. */
const NIGHTLY_DAYS = 120
/** Other jobs wait meanwhile. */
const STEPS_AT_ONCE = 20
const LINE_CHARS = 400

/** Compares everything with the provider and the chains. Throws Refusal. */
export async function checkProvider(
  env: CheckEnv,
  mending: Mending,
): Promise<{ looked: number; differences: string[]; mended: string[] }> {
  const walk = newWalk(env.clock())
  while (await stepWalk(env, walk, mending));
  return { looked: walk.looked, differences: [...walk.differences], mended: [...walk.mended] }
}

/** A job: once a day it compares what is not older than some months, and does what lost events would have done. */
export function checkProviderDaily(): (env: Env) => Promise<boolean> {
  let walk: Walk | undefined
  let steps = 0
  let underWay: Promise<boolean> | undefined
  async function step(env: Env): Promise<boolean> {
    const now = env.clock()
    if (!(await isDue(env, 'provider', now))) {
      // Another server has done it meanwhile.
      walk = undefined
      return false
    }
    walk ??= newWalk(now, new Date(now.getTime() - NIGHTLY_DAYS * DAY_MS))
    const isMore = await stepWalk(env, walk, 'events')
    if (!isMore) {
      const { looked, differences, mended, failure } = walk
      await keep(env, 'provider', { looked, differences: [...differences], mended: [...mended] })
      walk = undefined
      steps = 0
      if (failure !== undefined) throw failure
    }
    steps = isMore ? steps + 1 : 0
    return isMore && steps % STEPS_AT_ONCE !== 0
  }
  return (env) => {
    underWay ??= step(env).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

async function isDue({ db }: Pick<Env, 'db'>, name: store.Check['name'], now: Date): Promise<boolean> {
  const last = await store.findCheck(db, name)
  return !last || Math.abs(now.getTime() - last.finishedAt.getTime()) >= DAY_MS
}

/** Keeps the last result, in some lines. */
async function keep(
  { db, clock }: Pick<Env, 'db' | 'clock'>,
  name: store.Check['name'],
  { looked, differences, mended }: { looked: number; differences: string[]; mended: string[] },
): Promise<void> {
  const lines = [...differences, ...mended].slice(0, ADMIN_LIMITS.checkLines).map((line) => line.slice(0, LINE_CHARS))
  await store.keepCheck(db, { name, finishedAt: clock(), looked, differing: differences.length, mended: mended.length, lines })
}

/** A job: `check` compares the ledger with the accounts and with itself. */
export function checkLedgerDaily(
  check: (env: Env) => Promise<{ accounts: number; differences: string[] }>,
): (env: Env) => Promise<boolean> {
  let triedAt: Date | undefined
  return async (env) => {
    const now = env.clock()
    // It is much to read again each minute where it fails.
    const hasJustTried = triedAt !== undefined && Math.abs(now.getTime() - triedAt.getTime()) < RETRY_MS
    if (hasJustTried || !(await isDue(env, 'ledger', now))) return false
    triedAt = now
    const { accounts, differences } = await check(env)
    await keep(env, 'ledger', { looked: accounts, differences, mended: [] })
    return false
  }
}

export const listChecks = ({ db }: Pick<Env, 'db'>): Promise<store.Check[]> => store.listChecks(db)

/** The newest event that had an effect, also of before the start of this process. */
export const lastEvent = ({ db }: Pick<Env, 'db'>): Promise<Date | null> => store.findLastEvent(db)

/** What alarms are made of. */
export interface Alarms {
  lastEventAt: Date | null
  subscriptions: number
  oldestReviewAt: Date | null
  checks: store.Check[]
}

/** A job: tells where money needs somebody. */
export const watchMoney =
  (tell: (alarms: Alarms) => void) =>
  async ({ db, card }: Env): Promise<boolean> => {
    const [lastEventAt, subscriptions, oldestReviewAt, checks] = await Promise.all([
      store.findLastEvent(db),
      store.countLive(db, card.providerId),
      store.findOldestReview(db),
      store.listChecks(db),
    ])
    tell({ lastEventAt, subscriptions, oldestReviewAt, checks })
    return false
  }
