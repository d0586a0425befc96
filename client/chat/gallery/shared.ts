import type { Env } from '../../env.ts'
import { dateField } from '../../ui/time.ts'
import { type Look, lookOf, nameOf } from '../files/fileWords.ts'
import { type ListedFile, type ListedLink, type SharedPage, sharedPage } from '../files/sharedPage.ts'

/** How far a chat was read, from its newest message on, and what it has shared so far. */
export interface Listing {
  /** Newest first. */
  files: ListedFile[]
  links: ListedLink[]
  /** Seqs of the oldest and the newest message that were read; undefined before the first page. */
  oldest: number | undefined
  newest: number | undefined
  /** True if all messages were read that this browser has of the chat. */
  isWhole: boolean
  /** True if older messages of the chat are on the server alone. */
  hasOlder: boolean
}

export const UNREAD: Listing = { files: [], links: [], oldest: undefined, newest: undefined, isWhole: false, hasOlder: false }

/** Adds the page below what was read. */
export const withOlder = (listing: Listing, page: SharedPage): Listing => ({
  files: [...listing.files, ...page.files],
  links: [...listing.links, ...page.links],
  oldest: page.oldest ?? listing.oldest,
  newest: listing.newest ?? page.newest ?? 0,
  isWhole: page.isLast,
  hasOlder: page.hasOlder,
})

/** Adds what has come since; none of it twice. */
export function withNews(listing: Listing, page: SharedPage): Listing {
  const { newest = 0 } = listing
  const isNew = ({ seq }: { seq: number }) => seq > newest
  return {
    ...listing,
    files: [...page.files.filter(isNew), ...listing.files],
    links: [...page.links.filter(isNew), ...listing.links],
    newest: Math.max(newest, page.newest ?? 0),
  }
}

/** Reads the messages that have come since the listing was read, page by page, and hands each page over. */
export async function readNews(env: Env, chatRoomId: string, newest: number, take: (page: SharedPage) => void): Promise<void> {
  for (let after = newest; ; ) {
    const page = await sharedPage(env, chatRoomId, { after })
    take(page)
    if (page.isLast || page.newest === undefined) return
    after = page.newest
  }
}

export type Tab = 'media' | 'voice' | 'files' | 'links'

/** What stands in each tab. */
export interface Tabs {
  media: ListedFile[]
  voice: ListedFile[]
  files: ListedFile[]
  links: ListedLink[]
}

const TAB_OF: Record<Look, Exclude<Tab, 'links'>> = {
  ...{ picture: 'media', video: 'media', voice: 'voice', audio: 'files', document: 'files' },
}

/** Sorts what a chat has shared into tabs, and leaves out what does not hold each of the typed words. */
export function tabsOf({ files, links }: Pick<Listing, 'files' | 'links'>, typed: string): Tabs {
  const words = folded(typed).split(/\s+/).filter(Boolean)
  const holds = (text: string) => words.length === 0 || holdsAll(folded(text), words)
  const found = files.filter(({ file }) => holds(`${nameOf(file.name)} ${wordsOf(file)} ${file.caption}`))
  const inTab = (tab: Tab) => found.filter(({ file }) => TAB_OF[lookOf(file)] === tab)
  return {
    ...{ media: inTab('media'), voice: inTab('voice'), files: inTab('files') },
    links: links.filter(({ address }) => holds(address)),
  }
}

const holdsAll = (text: string, words: string[]): boolean => words.every((word) => text.includes(word))

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

const WORDS = { picture: 'Photo', video: 'Video', voice: 'Voice message', audio: 'Sound', document: 'Document' }

/** What a file without a name is called. */
export const wordsOf = (file: ListedFile['file']): string => WORDS[lookOf(file)]

/** Lines of one month, newest first. */
export interface Month {
  /** "2026-11" in local time. */
  key: string
  at: Date
  lines: ListedFile[]
}

export function monthsOf(lines: ListedFile[]): Month[] {
  const months: Month[] = []
  for (const line of lines) {
    const at = new Date(line.at)
    const key = dateField(at).slice(0, -3)
    const month = months.find((one) => one.key === key)
    if (month) month.lines.push(line)
    else months.push({ key, at, lines: [line] })
  }
  return months
}
