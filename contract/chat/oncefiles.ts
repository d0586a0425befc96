import type { Act, Content, FileContent, OnceContent } from './content.ts'
import { fileIn } from './kinds/kinds.ts'

/** Returns undefined for a file that cannot be opened once. */
export function onceOf({ as, voice, quote, ...about }: FileContent): OnceContent | undefined {
  if (as === 'file' || (as === 'audio' && !voice)) return undefined
  const { object, storedBytes, key, hash, mediaType, sizeBytes, caption } = about
  const file = { object, storedBytes, key, hash, mediaType, sizeBytes, caption, ...(voice && { peaks: voice.peaks }) }
  return { type: 'once', as, file, ...(voice && { seconds: voice.seconds }), ...(quote && { quote }) }
}

/** Returns its file while it is closed. */
export function fileOfOnce({ as, file, seconds = 0, quote }: OnceContent): FileContent | undefined {
  if (!file) return undefined
  const { peaks, ...about } = file
  const voice = peaks === undefined ? {} : { voice: { seconds, peaks } }
  return { type: 'file', as, name: '', ...about, ...voice, ...(quote && { quote }) }
}

/** Returns the file that a message is posted with. */
export const postedFile = (said: Content | Act | null | undefined): FileContent | undefined =>
  said?.type === 'once' ? fileOfOnce(said) : fileIn(said)

/** Returns it as it is once opened. */
export const withoutFile = ({ file: _, ...content }: OnceContent): OnceContent => content
