import type { z } from 'zod'
import type { transferAcceptShape } from '../../../contract/chat/transferframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { type Speaker, tellChanged } from './speaker.ts'
import * as store from './store.ts'

/** Answers a receiver who is blocked as if the sender were away. Throws Refusal. */
export async function acceptTransfer(
  env: Env,
  speaker: Speaker,
  { transferId, to, attempt, signal }: z.output<typeof transferAcceptShape>,
): Promise<ServerFrame> {
  const accept = { transferId, to, attempt }
  const { verdict, fromDevice, isHeard } = await store.acceptTransfer(env.db, speaker, accept, env.clock())
  if (verdict !== 'accepted' && verdict !== 'attempt' && verdict !== 'old') throw new Refusal(verdict)
  if (verdict === 'accepted') {
    const transfer = await store.findTransfer(env.db, transferId)
    if (transfer) await tellChanged(env, [transfer], speaker.userId)
  }
  const isThere = isHeard && fromDevice !== null && env.hub.isDeviceHere(to, fromDevice)
  if (isThere && verdict !== 'old') {
    const data = { ...accept, signal, from: speaker.userId, device: speaker.device }
    env.hub.publishToDevice(to, fromDevice, { type: 'transfer-accept', data })
  }
  return { type: 'transfer-success', data: { transferId, isThere } }
}
