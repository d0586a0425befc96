import type { Content, FileContent } from '../../../contract/chat/content.ts'
import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import type { ContentOf, Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Env } from '../../env.ts'
import { textParts } from '../../ui/links.ts'

/** Messages that are read at once. */
const PAGE = 200

/** A file of a chat, with its message. */
export interface ListedFile {
  chatRoomId: string
  id: string
  seq: number
  at: string
  senderId: string
  file: FileContent
}

/** A link of a chat, with its message. */
export interface ListedLink extends Omit<ListedFile, 'file'> {
  address: string
}

/** What the messages of one page of a chat have shared, newest first. */
export interface SharedPage {
  files: ListedFile[]
  links: ListedLink[]
  /** Seqs of the oldest and the newest message of the page; undefined if it has none. */
  oldest: number | undefined
  newest: number | undefined
  /** True if this browser has no message beyond the page. */
  isLast: boolean
  /** True if older messages of the chat are on the server alone. */
  hasOlder: boolean
}

/** The links that one kind of content has shared. */
interface Shares<C extends Content> {
  links(content: C): string[]
}

const SHARED: { [K in Kind]: Shares<ContentOf<K>> } = {
  text: { links: ({ text }) => linksIn(text) },
  file: { links: () => [] },
}

/** Which page: the newest one, the one before a seq, or the one after a seq. */
type Place = { before?: number | undefined; after?: never } | { after: number; before?: never }

/** Reads what a page of a chat's messages has shared, as far as this browser has them. */
export async function sharedPage(env: Env, chatRoomId: string, { before, after }: Place = {}): Promise<SharedPage> {
  const place = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
  const { messages, from } = await env.crypto.page({ chatRoomId, limit: PAGE, ...place })
  const files: ListedFile[] = []
  const links: ListedLink[] = []
  for (const { id, seq, at, senderId, body } of messages.toReversed()) {
    if (body.kind !== 'content') continue
    const message = { chatRoomId, id, seq, at, senderId }
    const file = fileIn(body.content)
    if (file) files.push({ ...message, file })
    const shares: Shares<Content> = SHARED[body.content.type]
    for (const address of shares.links(body.content)) links.push({ ...message, address })
  }
  const [oldest, newest] = [messages[0]?.seq, messages.at(-1)?.seq]
  return { files, links, oldest, newest, isLast: messages.length < PAGE, hasOlder: from > 1 }
}

/** The addresses of pages in a text, each once. */
export const linksIn = (text: string): string[] => [
  ...new Set(textParts(text).flatMap(({ href }) => (href && /^https?:/.test(href) ? [href] : []))),
]
