import type { Content, FileContent } from '../content.ts'
import { fileKind } from './file.ts'
import type { ContentOf, Kind, KindRules } from './rules.ts'
import { textKind } from './text.ts'

const KINDS: { [K in Kind]: KindRules<ContentOf<K>> } = { text: textKind, file: fileKind }

const rulesOf = (content: Content): KindRules<Content> => KINDS[content.type]

/** The words of content in a line of a list: a text itself; of a file what it is, or its name. */
export const contentWords = (content: Content): string => rulesOf(content).words(content)

/** What a search finds content by: its text, or a file's name and caption. */
export const searchedIn = (content: Content): string => rulesOf(content).searched(content)

/** The stored file that content carries; undefined if it carries none, or if there is no content. */
export const fileIn = (content: Content | null | undefined): FileContent | undefined =>
  content ? rulesOf(content).file(content) : undefined

/** True if content counts as unread and people are told of it. False is posted as `isSilent`. */
export const isCounted = (content: Content): boolean => rulesOf(content).counts
