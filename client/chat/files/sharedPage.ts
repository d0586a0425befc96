import type { Content, FileContent, TransferContent } from '../../../contract/chat/content.ts'
import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import type { ContentOf, Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Env } from '../../env.ts'
import { textParts } from '../../ui/links.ts'
import { transferAsFile } from './transferAsFile.ts'

const PAGE = 200

export interface ListedFile {
  chatRoomId: string
  id: string
  seq: number
  at: string
  senderId: string
  file: FileContent
  /** It goes or went from browser to browser. */
  transfer?: TransferContent
}

export interface ListedLink extends Omit<ListedFile, 'file' | 'transfer'> {
  address: string
}

/** Newest first. */
export interface SharedPage {
  files: ListedFile[]
  links: ListedLink[]
  /** Seqs; undefined for an empty page. */
  oldest: number | undefined
  newest: number | undefined
  /** This browser has no message beyond the page. */
  isLast: boolean
  /** Older messages are only on the server. */
  hasOlder: boolean
}

interface Shares<C extends Content> {
  links(content: C): string[]
  transfer?(content: C): TransferContent
}

const SHARED: { [K in Kind]: Shares<ContentOf<K>> } = {
  text: { links: ({ text }) => linksIn(text) },
  file: { links: () => [] },
  call: { links: () => [] },
  timer: { links: () => [] },
  once: { links: () => [] },
  transfer: { links: () => [], transfer: (content) => content },
}

/** The newest page without a seq. */
type Place = { before?: number | undefined; after?: never } | { after: number; before?: never }

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
    const transfer = shares.transfer?.(body.content)
    if (transfer) files.push({ ...message, file: transferAsFile(transfer), transfer })
    for (const address of shares.links(body.content)) links.push({ ...message, address })
  }
  const [oldest, newest] = [messages[0]?.seq, messages.at(-1)?.seq]
  return { files, links, oldest, newest, isLast: messages.length < PAGE, hasOlder: from > 1 }
}

export const linksIn = (text: string): string[] => [
  ...new Set(textParts(text).flatMap(({ href }) => (href && /^https?:/.test(href) ? [href] : []))),
]
