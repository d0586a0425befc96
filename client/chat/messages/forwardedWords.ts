import { photosWords } from '../../../contract/chat/kinds/file.ts'
import { quoteOf } from './quotes.ts'
import type { ShownMessage } from './store.ts'

const counted = (count: number, one: string): string[] => (count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${one}s`])

/** Returns a line for what is forwarded: its words where it is one message. */
export function forwardedWords(messages: ShownMessage[]): string {
  const [only] = messages
  if (only && messages.length === 1) return quoteOf(only)?.words ?? ''
  const files = messages.flatMap(({ body }) => (body.kind === 'file' ? [body.file] : []))
  const photos = files.filter(({ as }) => as === 'image').length
  const photoWords = photos === 0 ? [] : [photosWords(photos).toLowerCase()]
  return [
    ...counted(messages.length - files.length, 'message'),
    ...(photos === 1 ? ['1 photo'] : photoWords),
    ...counted(files.length - photos, 'file'),
  ].join(', ')
}
