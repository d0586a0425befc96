import type { TimerContent } from '../content.ts'
import { lifetimeWords } from '../lifetimewords.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const timerKind: KindRules<ContentOf<'timer'>> = {
  words: ({ seconds }) => (seconds === 0 ? 'Messages no longer disappear' : `Messages disappear after ${lifetimeWords(seconds)}`),
  searched: () => '',
  file: () => undefined,
  call: () => undefined,
  quote: () => undefined,
  own: () => '',
  withOwn: () => undefined,
  counts: false,
  isTyped: false,
}

export const timerWords = ({ seconds }: TimerContent): string =>
  seconds === 0 ? 'turned disappearing messages off' : `set messages to disappear after ${lifetimeWords(seconds)}`
