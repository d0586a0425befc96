import type { FrameOf, ServerData } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'

export type TransferFrame = FrameOf<
  | 'transfer-accept'
  | 'transfer-answer'
  | 'transfer-signal'
  | 'transfer-reject'
  | 'transfer-here'
  | 'transfer-success'
  | 'transfer-changed'
>

export async function receiveTransfer(_env: Env, _frame: TransferFrame): Promise<void> {
  throw new Error('Not written')
}

export function refuseTransfer(_refusal: ServerData['refused']): void {
  throw new Error('Not written')
}
