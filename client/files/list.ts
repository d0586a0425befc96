import type { FileContent } from '../../contract/content.ts'
import type { Env } from '../env.ts'
import { textParts } from '../ui/links.ts'

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

export interface Shared {
  /** Newest first. */
  files: ListedFile[]
  links: ListedLink[]
  /** True if older messages of the chat are on the server alone. */
  hasOlder: boolean
}

/** Reads what a chat has shared, as far as this browser has its messages. */
export async function sharedIn(env: Env, chatRoomId: string): Promise<Shared> {
  const shared: Shared = { files: [], links: [], hasOlder: false }
  for (let before: number | undefined; ; ) {
    const page = await env.crypto.page({ chatRoomId, limit: PAGE, ...(before !== undefined && { before }) })
    for (const { id, seq, at, senderId, body } of page.messages.toReversed()) {
      if (body.kind !== 'content') continue
      const message = { chatRoomId, id, seq, at, senderId }
      if (body.content.type === 'file') shared.files.push({ ...message, file: body.content })
      else for (const address of linksIn(body.content.text)) shared.links.push({ ...message, address })
    }
    before = page.messages[0]?.seq
    shared.hasOlder = page.from > 1
    if (page.messages.length < PAGE || before === undefined) return shared
  }
}

/** The addresses of pages in a text, each once. */
export const linksIn = (text: string): string[] => [
  ...new Set(textParts(text).flatMap(({ href }) => (href && /^https?:/.test(href) ? [href] : []))),
]
