import type { z } from 'zod'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { callsApi } from '../../../contract/chat/calls.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { countRelayed } from '../transfers/relayTransfer.ts'
import { findOwnLiveCall } from './store.ts'

type Relays = z.input<typeof callsApi.turn.output>

/** Throws Refusal: `not_found` alike for a call or transfer of others, for one that is over, and for none. */
export async function relaysFor(
  env: Env,
  user: SignedInUser,
  { callId, transferId, leavesTor = false }: z.output<typeof callsApi.turn.input>,
  caller: Pick<Caller, 'ingress' | 'headers'>,
): Promise<Relays> {
  const isTransfer = transferId !== undefined
  if (comesByOnion(caller) && (!leavesTor || env.onion.isRequired))
    throw new Refusal(isTransfer ? 'transfer_leaves_tor' : 'call_leaves_tor')
  if (isTransfer && callId !== undefined) throw new Refusal('invalid_input')
  if (isTransfer) await countRelayed(env, user, transferId)
  else if (callId === undefined) await env.limits.take('relayTests', user.id)
  else if (!(await findOwnLiveCall(env.db, callId, user.id, env.clock()))) throw new Refusal('not_found')
  const seconds = isTransfer || callId !== undefined ? CALL_LIMITS.relaySeconds : CALL_LIMITS.relayTestSeconds
  const expiresAt = new Date(env.clock().getTime() + seconds * 1000)
  const hasRelay = env.relay.isThere()
  return { hasRelay, iceServers: env.relay.servers(expiresAt), expiresAt: hasRelay ? expiresAt.toISOString() : null }
}
