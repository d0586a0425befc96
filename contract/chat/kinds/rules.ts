import type { CallContent, Content, FileContent, Quote } from '../content.ts'

export type Kind = Content['type']

export type ContentOf<K extends Kind> = Extract<Content, { type: K }>

/** Screens keep records with the same keys. */
export interface KindRules<C extends Content> {
  words(content: C): string
  searched(content: C): string
  file(content: C): FileContent | undefined
  call(content: C): CallContent | undefined
  quote(content: C): Quote | undefined
  /** Words that their author can edit. */
  own(content: C): string
  /** Returns undefined for words that it cannot have. */
  withOwn(content: C, text: string): C | undefined
  /** False for a silent kind. */
  counts: boolean
  /** True for words that can return to the field where they were typed. */
  isTyped: boolean
}
