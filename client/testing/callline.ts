import type { CallContent } from '../../contract/chat/content.ts'

/** The line of a voice call that was answered. */
export const callLine = (): CallContent => ({
  ...{ type: 'call', callId: crypto.randomUUID(), callType: 'voice' },
  ...{ outcome: 'answered', seconds: 9, isCompared: true },
})
