import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { Env } from '../../env.ts'
import type { Seat } from '../../ground/realtime/hub.ts'
import { secondsBefore } from '../chatlocks/times.ts'
import { endOnce } from './ends.ts'
import { makePlaces, type Places } from './places.ts'
import { ringArrivals } from './ring.ts'
import * as store from './store.ts'

const LOOK_MS = 1000
const MINUTE_MS = 60_000
const AT_ONCE = 500
/** A server that has started hears of nobody before. */
const LISTENED_SECONDS = 60

export interface Calls {
  places: Places
  arrived(seat: Seat): Promise<void>
  /** Runs every second too. */
  look(): Promise<void>
  stop(): void
}

/** Counts minutes and ends what is due, of the calls that this process hears of. */
export function watchCalls(env: Env, report: (error: unknown) => void): Calls {
  const places = makePlaces(env.clock)
  let last: Promise<void> = Promise.resolve()

  async function lookOnce(): Promise<void> {
    const heardOf = places.callIds()
    if (heardOf.length === 0) return
    const live = await store.findUnended(env.db, heardOf)
    for (const call of live) {
      if (places.isLeft(call.id)) await endOnce(env, call, { reason: 'lost', by: null })
      else await settle(env, call)
    }
    const ids = new Set(live.map(({ id }) => id))
    for (const id of heardOf) if (!ids.has(id)) places.forget(id)
  }

  const look = (): Promise<void> => {
    last = last.then(lookOnce, lookOnce)
    return last
  }
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(report)
      .finally(() => {
        isLooking = false
      })
  }, LOOK_MS)
  return { places, arrived: ringArrivals(env), look, stop: () => clearInterval(timer) }
}

async function settle(env: Env, call: store.Call): Promise<void> {
  if (call.answeredAt === null) {
    if (call.rangAt <= store.ringsSince(env.clock())) await endOnce(env, call, { reason: 'no_answer', by: null }, true)
  } else if (isMinuteDue(call, env.clock()) && !(await store.countMinutes(env.db, call.id, env.clock())))
    await endOnce(env, call, { reason: 'minutes', by: null })
}

const isMinuteDue = ({ answeredAt, minutes }: store.Call, now: Date): boolean =>
  answeredAt !== null && now.getTime() - answeredAt.getTime() > minutes * MINUTE_MS

/** A job: ends what a dead process has left, and deletes what is over. */
export function endLeftCalls(): (env: Env) => Promise<boolean> {
  let startedAt: Date | undefined
  return async (env) => {
    const now = env.clock()
    startedAt ??= now
    const isListening = startedAt <= secondsBefore(now, LISTENED_SECONDS)
    const silentSince = secondsBefore(now, CALL_LIMITS.leftSeconds)
    for (const call of await store.findLeft(env.db, silentSince, now, AT_ONCE)) {
      if (call.answeredAt === null) await settle(env, call)
      else if (isListening) await endOnce(env, call, { reason: 'lost', by: null })
    }
    return (await store.deleteOver(env.db, secondsBefore(now, CALL_LIMITS.overSeconds), AT_ONCE)) === AT_ONCE
  }
}
