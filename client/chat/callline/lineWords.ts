import type { CallContent } from '../../../contract/chat/content.ts'
import { isMissed } from '../../../contract/chat/kinds/call.ts'
import { lengthWords } from '../../ui/time.ts'

const OUTCOMES: Record<Exclude<CallContent['outcome'], 'answered'>, string> = {
  ...{ no_answer: 'no answer', declined: 'declined', busy: 'busy', cancelled: 'cancelled', failed: 'not connected' },
}

/** What follows the time: "31:28", "words compared". */
export function callDetails({ outcome, seconds, isCompared }: Omit<CallContent, 'type' | 'callId'>, isMine: boolean): string[] {
  if (outcome !== 'answered') return isMine ? [OUTCOMES[outcome]] : []
  return [lengthWords(seconds), ...(isCompared ? ['words compared'] : [])]
}

export function againWords(call: CallContent, isMine: boolean): string | undefined {
  if (isMissed(call, isMine)) return 'Call back'
  return isMine && call.outcome !== 'answered' && call.outcome !== 'cancelled' ? 'Call again' : undefined
}
