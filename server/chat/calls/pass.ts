import type { z } from 'zod'
import type { callSignalShape, iceCandidateShape } from '../../../contract/chat/callframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { otherOf, requireCall, type Speaker, tellEnd } from './ends.ts'
import type { Places } from './places.ts'

/** Throws Refusal. */
export async function passSignal(
  env: Env,
  speaker: Speaker,
  { callId, to, attempt, signal }: z.output<typeof callSignalShape>,
  places: Places,
): Promise<void> {
  const data = { callId, to, attempt, signal, from: speaker.userId, device: speaker.device }
  await pass(env, speaker, { callId, to, attempt }, { type: 'call-signal', data }, places)
}

/** Throws Refusal. */
export async function passCandidate(
  env: Env,
  speaker: Speaker,
  { callId, targetUserId, attempt, candidate }: z.output<typeof iceCandidateShape>,
  places: Places,
): Promise<void> {
  const data = { callId, targetUserId, attempt, candidate, from: speaker.userId, device: speaker.device }
  await pass(env, speaker, { callId, to: targetUserId, attempt }, { type: 'ice-candidate', data }, places)
}

/** Drops what belongs to an older attempt. */
async function pass(
  env: Env,
  speaker: Speaker,
  { callId, to, attempt }: { callId: string; to: string; attempt: number },
  frame: ServerFrame,
  { heard }: Places,
): Promise<void> {
  const call = await requireCall(env, speaker, callId, to)
  const other = otherOf(call, speaker)
  heard(callId, speaker.seat)
  if (attempt === call.attempt) tellEnd(env, other, frame)
}
