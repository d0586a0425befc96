import type { ContentOf, KindRules } from './rules.ts'

export const textKind: KindRules<ContentOf<'text'>> = {
  words: ({ text }) => text,
  searched: ({ text }) => text,
  file: () => undefined,
  counts: true,
}
