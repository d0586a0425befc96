import type { ContentOf, KindRules } from './rules.ts'

export const transferKind: KindRules<ContentOf<'transfer'>> = {
  words: ({ name }) => name || 'Document',
  searched: ({ name }) => name,
  file: () => undefined,
  call: () => undefined,
  quote: () => undefined,
  own: () => '',
  withOwn: () => undefined,
  counts: true,
  isTyped: false,
}
