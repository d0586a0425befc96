import { setImmediate as turn } from 'node:timers/promises'
import type { Env } from '../../env.ts'
import { deliver } from './deliver.ts'
import { quietUntil } from './quiet.ts'
import * as store from './store.ts'

const AT_ONCE = 1000
/** Requests under way: those whose addresses hang must not hold up the others for long. */
const PARALLEL = 200
/** Between two pushes to a browser: what comes meanwhile is told at its end, at most once. */
const PAUSE_MS = 60_000
/** After a failure, doubled with each further one. */
const RETRY_MS = 60_000
const RETRY_MAX_MS = 60 * 60_000
/** After failing for so long a subscription is dropped. Its browser subscribes again at its next start. */
const GIVE_UP_MS = 24 * 60 * 60_000

/** Subscriptions that one statement looks at: for 10,000 it takes PostgreSQL most of a second. */
const SLICE = 1000

/** Makes the job that looks at everybody, so many subscriptions at a time. */
export function tellInSlices(slice: number = SLICE): (env: Env) => Promise<boolean> {
  let after: Buffer | undefined
  return async (env) => {
    if (!env.config.hasPush) return false
    const upTo = await store.endOfSlice(env.db, after, slice)
    if (await tellDue(env, { after, upTo })) return true
    after = upTo
    return upTo !== undefined
  }
}

/**
 * Pushes to the browsers of people for whom something has come that no page of theirs has received: of these people, or of a slice of
 * all. Returns true if more are left. News are marked as told before they are sent, so two processes never send the same; a
 * process that dies between the two has lost one push, and the next message brings another.
 */
export async function tellDue(env: Env, among: string[] | store.Slice): Promise<boolean> {
  if (!env.config.hasPush) return false
  const now = env.clock()
  const due = await store.findDue(env.db, { among, now, limit: AT_ONCE })
  if (due.length === 0) return false
  const asleep = due.flatMap(({ subscription, quiet }) => {
    const until = quiet && quietUntil(quiet, now)
    return until ? [{ endpointHash: subscription.endpointHash, until }] : []
  })
  if (asleep.length > 0) await store.holdUntil(env.db, asleep)
  const held = new Set(asleep.map(({ endpointHash }) => endpointHash))
  const awake = due.map(({ subscription }) => subscription).filter(({ endpointHash }) => !held.has(endpointHash))
  const claimed = await store.claim(
    env.db,
    awake.map(({ endpointHash }) => endpointHash),
    { now, notBefore: new Date(now.getTime() + PAUSE_MS) },
  )
  const mine = awake.filter(({ endpointHash }) => claimed.has(endpointHash.toString('hex')))
  await eachOf(mine, (subscription) => tell(env, subscription))
  return due.length === AT_ONCE
}

async function tell(env: Env, subscription: store.Subscription): Promise<void> {
  const delivery = await deliver(env, subscription, { kind: 'message' })
  const { endpointHash, failures, toldAt } = subscription
  const now = env.clock()
  if (delivery.outcome === 'gone') return await store.drop(env.db, endpointHash)
  if (delivery.outcome === 'sent') {
    if (failures > 0) await store.noteSuccess(env.db, endpointHash)
    return
  }
  const failingSince = subscription.failingSince ?? now
  if (now.getTime() - failingSince.getTime() >= GIVE_UP_MS) return await store.drop(env.db, endpointHash)
  const waitMs = Math.min(RETRY_MAX_MS, Math.max(RETRY_MS * 2 ** Math.min(failures, 10), delivery.afterSeconds * 1000))
  const notBefore = new Date(now.getTime() + waitMs)
  await store.noteFailure(env.db, endpointHash, { toldAt, notBefore, failingSince })
}

/** Does the work for each, some at a time. Throws the first failure once all have ended. */
async function eachOf<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  for (const one of all) {
    if (underWay.size >= PARALLEL) await Promise.race(underWay)
    // Each is encrypted at once when it starts: between two of them the process does other work.
    await turn()
    const started: Promise<void> = work(one)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(started))
    underWay.add(started)
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
}
