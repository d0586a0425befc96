import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { endOnce, type Speaker } from './ends.ts'
import type { Places } from './places.ts'
import * as store from './store.ts'

/** Ends the call if the other end is silent. Compares beats alone: while the server is away, both are. Throws Refusal. */
export async function noteBeat(env: Env, speaker: Speaker, callId: string, { heard }: Places): Promise<void> {
  const beats = await store.noteBeat(env.db, callId, speaker, env.clock())
  if (!beats) throw new Refusal('call_over')
  heard(callId, speaker.seat)
  if (beats.before.getTime() - beats.other.getTime() <= CALL_LIMITS.silenceMs) return
  const call = await store.findOwnCall(env.db, callId, speaker.userId, env.clock())
  if (call) await endOnce(env, call, { reason: 'lost', by: null })
}
