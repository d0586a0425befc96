import { textWords } from '../contentwords.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const textKind: KindRules<ContentOf<'text'>> = {
  words: ({ text }) => textWords(text),
  searched: ({ text }) => text,
  file: () => undefined,
  call: () => undefined,
  quote: ({ quote }) => quote,
  own: ({ text }) => text,
  withOwn: (content, text) => (text.trim() === '' ? undefined : { ...content, text }),
  counts: true,
  isTyped: true,
}
