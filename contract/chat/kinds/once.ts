import type { OnceContent } from '../content.ts'
import type { ContentOf, KindRules } from './rules.ts'

const NAMES = { image: 'Photo', audio: 'Voice message' }

export const onceName = ({ as }: Pick<OnceContent, 'as'>): string => NAMES[as]

export const onceKind: KindRules<ContentOf<'once'>> = {
  words: (content) => `${onceName(content)}, view once`,
  searched: () => '',
  // Nothing saves, forwards or lists its file.
  file: () => undefined,
  call: () => undefined,
  quote: ({ quote }) => quote,
  own: () => '',
  withOwn: () => undefined,
  counts: true,
  isTyped: false,
}
