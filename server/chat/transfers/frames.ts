import type { Env } from '../../env.ts'
import type { Seat } from '../../ground/realtime/hub.ts'
import type { FrameHandlers } from '../../ground/realtime/listen.ts'
import { Refusal } from '../../refuse.ts'
import { acceptTransfer } from './acceptTransfer.ts'
import { passAnswer, passHere, passReject, passSignal } from './passTransfer.ts'
import { speakerOf } from './speaker.ts'

type TransferFrame = 'transfer-accept' | 'transfer-answer' | 'transfer-signal' | 'transfer-reject' | 'transfer-here'

export const transferFrames = (env: Env): Pick<FrameHandlers, TransferFrame> => ({
  async 'transfer-accept'(user, accept, asking) {
    requireTorKept(env, asking, accept)
    return await acceptTransfer(env, speakerOf(user), lowered(accept))
  },
  async 'transfer-answer'(user, answer, asking) {
    requireTorKept(env, asking, answer)
    await passAnswer(env, speakerOf(user), lowered(answer))
    return undefined
  },
  async 'transfer-signal'(user, signal) {
    await passSignal(env, speakerOf(user), lowered(signal))
    return undefined
  },
  async 'transfer-reject'(user, reject) {
    await passReject(env, speakerOf(user), lowered(reject))
    return undefined
  },
  async 'transfer-here'(user, here) {
    await passHere(env, speakerOf(user), lowered(here))
    return undefined
  },
})

/** PostgreSQL and the hub have ids in lower case. */
const lowered = <Sent extends { transferId: string; to: string }>(sent: Sent): Sent => ({
  ...sent,
  ...{ transferId: sent.transferId.toLowerCase(), to: sent.to.toLowerCase() },
})

/** Throws Refusal. */
function requireTorKept({ onion }: Env, { comesByOnion }: Seat, { leavesTor }: { leavesTor?: boolean | undefined }): void {
  if (comesByOnion && (leavesTor !== true || onion.isRequired)) throw new Refusal('transfer_leaves_tor')
}
