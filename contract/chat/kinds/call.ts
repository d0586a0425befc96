import type { CallContent } from '../content.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const callKind: KindRules<ContentOf<'call'>> = {
  words: ({ callType }) => (callType === 'video' ? 'Video call' : 'Voice call'),
  searched: () => '',
  file: () => undefined,
  call: (content) => content,
  quote: () => undefined,
  own: () => '',
  withOwn: () => undefined,
  counts: false,
  isTyped: false,
}

export const isMissed = ({ outcome }: CallContent, isMine: boolean): boolean =>
  !isMine && outcome !== 'answered' && outcome !== 'declined'

export function callTitle(call: CallContent, isMine: boolean): string {
  const words = callKind.words(call)
  if (isMissed(call, isMine)) return `Missed ${words.toLowerCase()}`
  return !isMine && call.outcome === 'declined' ? `Declined ${words.toLowerCase()}` : words
}
