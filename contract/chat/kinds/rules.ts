import type { Content, FileContent } from '../content.ts'

/** A kind of content, as its statement names it. */
export type Kind = Content['type']

export type ContentOf<K extends Kind> = Extract<Content, { type: K }>

/**
 * What holds for one kind of content wherever it runs. A place that must know the screen has a record of its own with the same keys,
 * so that the compiler names each of them when a kind is added.
 */
export interface KindRules<C extends Content> {
  /** The words in a line of a list. */
  words(content: C): string
  /** What a search finds it by. */
  searched(content: C): string
  /** The stored file that it carries. */
  file(content: C): FileContent | undefined
  /** False for a silent kind: it is unread for nobody, and nobody is told of it. */
  counts: boolean
}
