import type { ListedFile, ListedLink, Shared } from '../files/list.ts'
import { lookOf, nameOf } from '../files/shown.ts'

export type Tab = 'media' | 'documents' | 'links'

/** What stands in each tab. */
export interface Tabs {
  media: ListedFile[]
  documents: ListedFile[]
  links: ListedLink[]
}

/** Sorts what a chat has shared into tabs, and leaves out what does not hold each of the typed words. */
export function tabsOf({ files, links }: Shared, typed: string): Tabs {
  const words = folded(typed).split(/\s+/).filter(Boolean)
  const holds = (text: string) => words.every((word) => folded(text).includes(word))
  const found = files.filter(({ file }) => holds(`${nameOf(file.name)} ${wordsOf(file)} ${file.caption}`))
  return {
    media: found.filter(({ file }) => lookOf(file) !== 'document'),
    documents: found.filter(({ file }) => lookOf(file) === 'document'),
    links: links.filter(({ address }) => holds(address)),
  }
}

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

const WORDS = { picture: 'Photo', video: 'Video', voice: 'Voice message', audio: 'Sound', document: 'Document' }

/** What a file without a name is called. */
export const wordsOf = (file: ListedFile['file']): string => WORDS[lookOf(file)]
