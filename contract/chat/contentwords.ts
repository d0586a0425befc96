import type { Content } from './content.ts'

/** The words of content in a line of a list: a text itself; of a file what it is, or its name. */
export function contentWords(content: Content): string {
  if (content.type === 'text') return content.text
  if (content.as === 'image') return 'Photo'
  return content.voice ? 'Voice message' : content.name || 'Document'
}

/** What a search finds content by: its text, or a file's name and caption. */
export const searchedIn = (content: Content): string =>
  content.type === 'text' ? content.text : [content.name, content.caption].filter(Boolean).join('\n')

/** What a message of a kind that this build does not know is called; the second says why. */
export const UNSUPPORTED = 'Unsupported message type'

export const NEEDS_NEWER = 'Needs a newer version of this page'
