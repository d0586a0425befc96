import type { Content, Quote } from '../../../contract/chat/content.ts'
import { quotedWords } from '../../../contract/chat/kinds/kinds.ts'
import type { MessageBody, ShownMessage } from './store.ts'

function contentOf(body: MessageBody): Content | undefined {
  switch (body.kind) {
    case 'text':
      return { type: 'text', text: body.text }
    case 'file':
      return body.file
    case 'transfer':
      return body.transfer
    default:
      return undefined
  }
}

/** Returns undefined for a message that nobody can reply to: it is not sent yet, or no signature proves it. */
export function quoteOf({ id, senderId, body }: ShownMessage): Quote | undefined {
  const content = contentOf(body)
  return senderId !== undefined && content ? { senderId, id, words: quotedWords(content) } : undefined
}

/** Returns what a copy of the message has; '' without words. */
export const wordsOf = ({ body }: ShownMessage): string =>
  body.kind === 'text' || body.kind === 'plain' || body.kind === 'file' ? body.text : ''

export const isForwarded = ({ body }: Pick<ShownMessage, 'body'>): boolean =>
  (body.kind === 'text' ? body.isForwarded : body.kind === 'file' && body.file.isForwarded) === true

/** Returns what the message replies to. */
export const quoteIn = ({ body }: Pick<ShownMessage, 'body'>): Quote | undefined =>
  body.kind === 'text' ? body.quote : (body.kind === 'file' ? body.file : body.kind === 'once' ? body.once : undefined)?.quote
