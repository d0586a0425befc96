import type { ServerData } from '../../../contract/frames.ts'

export const endedWords = ({ reason }: ServerData['signed_out']): string =>
  reason === 'block'
    ? 'An administrator has blocked this account. This browser’s keys and what you wrote are still here.'
    : reason === 'ended'
      ? 'This browser was signed out from another browser of yours. Its keys are still here: sign in to go on. If that was not you, change your password.'
      : 'You were signed out.'
