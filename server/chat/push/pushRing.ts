import type { PushKind } from '../../../contract/chat/pushnews.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { deliver } from './deliver.ts'
import { quietUntil } from './quiet.ts'
import type { Rung } from './rings.ts'
import * as store from './store.ts'
import { findRingable } from './store-rings.ts'

export interface Ring {
  callId: string
  callerId: string
  calleeId: string
  chatRoomId: string
}

/**
 * Rings the callee's closed browsers, each once a call. Returns before anything is known of them, so that an answer to the caller tells
 * nothing by its time. Call it after COMMIT of each attempt.
 */
export function pushRing(env: Env, ring: Ring): void {
  env.rings.begin(ring.callId, async (rung) => {
    if (rung.isOver || !(await isAllowed(env, ring, rung))) return
    await tell(env, ring, 'ring', rung, ({ isTold, isAwake }) => !isTold && isAwake)
  })
}

/** Tells closed browsers that the ring ended without an answer: in its place, and where it was not told. */
export function pushMissed(env: Env, ring: Ring): void {
  env.rings.end(ring.callId, async (rung) => {
    if (await isAllowed(env, ring, rung)) await tell(env, ring, 'missed', rung, ({ isTold, isAwake }) => isTold || isAwake)
  })
}

/** Ends the notification of a ring that was accepted somewhere. */
export function pushAnswered(env: Env, ring: Ring): void {
  env.rings.end(ring.callId, (rung) => tell(env, ring, 'answered', rung, ({ isTold }) => isTold))
}

async function isAllowed({ limits }: Env, { callerId, calleeId }: Ring, rung: Rung): Promise<boolean> {
  if (rung.isAllowed !== undefined) return rung.isAllowed
  const taken = limits.take('pushedRings', `${calleeId} ${callerId}`).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )
  rung.isAllowed = await taken
  return rung.isAllowed
}

interface Browser {
  /** It was told that the call rings. */
  isTold: boolean
  /** No page of the account is open, and no quiet hours are. */
  isAwake: boolean
}

async function tell(env: Env, ring: Ring, kind: PushKind, { told }: Rung, isDue: (browser: Browser) => boolean): Promise<void> {
  if (!env.config.hasPush) return
  const now = env.clock()
  const found = await findRingable(env.db, { ...ring, now })
  const due = found.flatMap(({ subscription, quiet, isOpen }) => {
    const isAwake = !isOpen && !(quiet && quietUntil(quiet, now))
    return isDue({ isTold: told.has(hashOf(subscription)), isAwake }) ? [subscription] : []
  })
  await Promise.all(
    due.map(async (subscription) => {
      told.add(hashOf(subscription))
      const { outcome } = await deliver(env, subscription, { kind })
      if (outcome === 'gone') await store.drop(env.db, subscription.endpointHash)
    }),
  )
}

const hashOf = ({ endpointHash }: store.Subscription): string => endpointHash.toString('hex')
