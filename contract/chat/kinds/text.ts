import { textWords } from '../contentwords.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const textKind: KindRules<ContentOf<'text'>> = {
  words: ({ text }) => textWords(text),
  searched: ({ text }) => text,
  file: () => undefined,
  call: () => undefined,
  quote: ({ quote }) => quote,
  own: ({ text }) => text,
  // What was forwarded are not its sender's words.
  withOwn: (content, text) => (content.isForwarded || text.trim() === '' ? undefined : { ...content, text }),
  counts: true,
  isTyped: true,
}
