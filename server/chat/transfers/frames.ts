import type { Env } from '../../env.ts'
import type { FrameHandlers } from '../../ground/realtime/listen.ts'
import { Refusal } from '../../refuse.ts'

type TransferFrame = 'transfer-accept' | 'transfer-answer' | 'transfer-signal' | 'transfer-reject' | 'transfer-here'

export const transferFrames = (_: Env): Pick<FrameHandlers, TransferFrame> => {
  const over = async () => {
    throw new Refusal('transfer_over')
  }
  return {
    ...{ 'transfer-accept': over, 'transfer-answer': over, 'transfer-signal': over },
    ...{ 'transfer-reject': over, 'transfer-here': over },
  }
}
