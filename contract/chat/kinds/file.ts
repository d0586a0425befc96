import { textBytes } from '../../ground/bytes.ts'
import type { FileContent } from '../content.ts'
import { SAID } from '../saidlimits.ts'
import type { ContentOf, KindRules } from './rules.ts'

export const fileKind: KindRules<ContentOf<'file'>> = {
  words: ({ as, name, voice }) => (as === 'image' ? 'Photo' : voice ? 'Voice message' : name || 'Document'),
  searched: ({ name, caption }) => [name, caption].filter(Boolean).join('\n'),
  file: (content) => content,
  call: () => undefined,
  quote: ({ quote }) => quote,
  own: ({ caption }) => caption,
  withOwn: (content, caption) =>
    content.isForwarded || textBytes(caption) > SAID.captionBytes ? undefined : { ...content, caption },
  counts: true,
  isTyped: false,
}

/** Returns undefined for what is no picture. */
export const albumIn = (file: FileContent | undefined): FileContent['album'] => (file?.as === 'image' ? file.album : undefined)

/** Returns an album's words. */
export const photosWords = (count: number): string => (count === 1 ? 'Photo' : `${count} photos`)
