import type { z } from 'zod'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { callsApi } from '../../../contract/chat/calls.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { findOwnLiveCall } from './store.ts'

type Relays = z.input<typeof callsApi.turn.output>

/** Throws Refusal: `not_found` alike for a call of others, for one that is over, and for none. */
export async function relaysFor(
  env: Env,
  user: SignedInUser,
  { callId, leavesTor = false }: z.output<typeof callsApi.turn.input>,
  caller: Pick<Caller, 'ingress' | 'headers'>,
): Promise<Relays> {
  if (comesByOnion(caller) && !leavesTor) throw new Refusal('call_leaves_tor')
  if (callId === undefined) await env.limits.take('relayTests', user.id)
  else if (!(await findOwnLiveCall(env.db, callId, user.id, env.clock()))) throw new Refusal('not_found')
  const seconds = callId === undefined ? CALL_LIMITS.relayTestSeconds : CALL_LIMITS.relaySeconds
  const expiresAt = new Date(env.clock().getTime() + seconds * 1000)
  const hasRelay = env.relay.isThere()
  return { hasRelay, iceServers: env.relay.servers(expiresAt), expiresAt: hasRelay ? expiresAt.toISOString() : null }
}
