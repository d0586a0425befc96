import { EMPTY, isBlank } from '../contentwords.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const textKind: KindRules<ContentOf<'text'>> = {
  words: ({ text }) => (isBlank(text) ? EMPTY : text),
  searched: ({ text }) => text,
  file: () => undefined,
  counts: true,
}
