import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { pushSubscriptionShape } from '../../../contract/chat/push.ts'
import { PUSH_LIMITS } from '../../../contract/chat/pushlimits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'
import { isPublicKey, publicVapidKey } from './vapid.ts'

/** The key that browsers subscribe with; null where this server pushes nothing. A browser asks its push service past Tor. */
export const pushKey = (env: Env, caller: Pick<Caller, 'ingress' | 'headers'>): { key: string | null } => ({
  key: hasPush(env, caller) ? publicVapidKey(env.vapidKey) : null,
})

const hasPush = ({ config }: Env, caller: Pick<Caller, 'ingress' | 'headers'>): boolean => config.hasPush && !comesByOnion(caller)

/**
 * Subscribes a browser until the caller's session ends. Whoever shows the same keys is the same browser, and takes a subscription of
 * another account over. Throws Refusal.
 */
export async function subscribe(
  env: Env,
  user: SignedInUser,
  { endpoint: asked, keys }: z.output<typeof pushSubscriptionShape>,
  caller: Pick<Caller, 'ingress' | 'headers'>,
): Promise<Record<string, never>> {
  if (!hasPush(env, caller)) throw new Refusal('push_off')
  const [p256dh, auth] = [Buffer.from(keys.p256dh, 'base64url'), Buffer.from(keys.auth, 'base64url')]
  if (!isPublicKey(p256dh)) throw new Refusal('invalid_input', { text: 'p256dh is not a public key' })
  const endpoint = await env.outbound.check(asked)
  const now = env.clock()
  const row = {
    ...{ endpointHash: hashOf(endpoint), endpoint, p256dh, auth, createdAt: now, toldAt: now },
    ...{ userId: user.id, sessionHash: Buffer.from(user.sessionHash, 'hex') },
  }
  await env.db.transaction(async (tx) => {
    if (!(await store.lockSession(tx, user.id, row.sessionHash))) throw new Refusal('not_signed_in')
    // A copied cookie uses up one place.
    if (user.isAsleep) await store.deleteOfSession(tx, row.sessionHash)
    if ((await store.countOthers(tx, user.id, row.endpointHash)) >= PUSH_LIMITS.pushSubscriptionsMax)
      throw new Refusal('too_many_push_subscriptions')
    if (!(await store.writeSubscription(tx, row))) throw new Refusal('push_subscription_taken')
  })
  return {}
}

/** Ends a subscription of the account; without an endpoint those of the session. Throws Refusal `not_found`. */
export async function unsubscribe(env: Env, user: SignedInUser, endpoint: string | undefined): Promise<Record<string, never>> {
  if (endpoint === undefined) {
    await store.deleteOfSession(env.db, Buffer.from(user.sessionHash, 'hex'))
    return {}
  }
  const written = URL.canParse(endpoint) ? new URL(endpoint).href : endpoint
  if (!(await store.deleteOwn(env.db, user.id, hashOf(written)))) throw new Refusal('not_found')
  return {}
}

const hashOf = (endpoint: string): Buffer => createHash('sha256').update(endpoint).digest()
