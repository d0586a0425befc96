import type { z } from 'zod'
import type {
  transferAnswerShape,
  transferHereShape,
  transferRejectShape,
  transferSignalShape,
} from '../../../contract/chat/transferframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import type { Speaker } from './speaker.ts'
import * as store from './store.ts'

/** The sender takes part in an attempt. Throws Refusal. */
export async function passAnswer(
  env: Env,
  speaker: Speaker,
  { transferId, to, attempt, signal }: z.output<typeof transferAnswerShape>,
): Promise<void> {
  const spoken = await requireSpoken(env, speaker, { transferId, to })
  if (spoken.transfer.senderId !== speaker.userId) throw new Refusal('transfer_over')
  if (!spoken.isOpen) throw new Refusal('chat_locked')
  const data = { transferId, to, attempt, signal, from: speaker.userId, device: speaker.device }
  pass(env, spoken, { type: 'transfer-answer', data })
}

/** Throws Refusal. */
export async function passSignal(
  env: Env,
  speaker: Speaker,
  { transferId, to, attempt, signal }: z.output<typeof transferSignalShape>,
): Promise<void> {
  const spoken = await requireSpoken(env, speaker, { transferId, to })
  const data = { transferId, to, attempt, signal, from: speaker.userId, device: speaker.device }
  pass(env, spoken, { type: 'transfer-signal', data })
}

/** Throws Refusal. */
export async function passReject(
  env: Env,
  speaker: Speaker,
  { transferId, to, attempt, reason }: z.output<typeof transferRejectShape>,
): Promise<void> {
  const spoken = await requireSpoken(env, speaker, { transferId, to })
  pass(env, spoken, { type: 'transfer-reject', data: { transferId, to, attempt, reason, from: speaker.userId } })
}

/** Throws Refusal: `transfer_over` tells the sender to drop what is kept. */
export async function passHere(
  env: Env,
  speaker: Speaker,
  { transferId, to }: z.output<typeof transferHereShape>,
): Promise<void> {
  const spoken = await requireSpoken(env, speaker, { transferId, to })
  if (spoken.transfer.senderId !== speaker.userId) throw new Refusal('transfer_over')
  pass(env, spoken, { type: 'transfer-here', data: { transferId, to, from: speaker.userId } })
}

/** Throws Refusal for a browser that has neither offered nor accepted it. */
async function requireSpoken(
  env: Env,
  speaker: Speaker,
  named: { transferId: string; to: string },
): Promise<store.Spoken & { otherDevice: string | null }> {
  const spoken = await store.findSpoken(env.db, speaker, named, env.clock())
  if (!spoken) throw new Refusal('transfer_over')
  const { senderId, senderDevice, receiverDevice } = spoken.transfer
  const isSender = senderId === speaker.userId
  if (!spoken.isMutual) throw new Refusal('not_a_contact')
  if (isSender ? senderDevice !== speaker.device : receiverDevice === null) throw new Refusal('transfer_over')
  if (!isSender && receiverDevice !== speaker.device) throw new Refusal('transfer_elsewhere')
  return { ...spoken, otherDevice: isSender ? receiverDevice : senderDevice }
}

type Passed = Extract<ServerFrame, { type: 'transfer-answer' | 'transfer-signal' | 'transfer-reject' | 'transfer-here' }>

/** Drops what belongs to another attempt, and what somebody who blocks the speaker would hear. */
function pass(
  { hub }: Env,
  { transfer, isHeard, otherDevice }: store.Spoken & { otherDevice: string | null },
  frame: Passed,
): void {
  if (!isHeard || otherDevice === null) return
  if ('attempt' in frame.data && frame.data.attempt !== transfer.attempt) return
  hub.publishToDevice(frame.data.to, otherDevice, frame)
}
