import { SAID } from '../../../contract/chat/saidlimits.ts'

/** Removes folders and characters that hide the ending. */
export const nameOf = (name: string): string => {
  const plain = (name.split(/[\\/]/).at(-1) ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
  return plain.length <= SAID.nameMax ? plain : `${plain.slice(0, 200)}…${plain.slice(-40)}`
}

/** At least "0.1 KB". */
export const sizeWords = (bytes: number): string => `${Math.max(0.1, bytes / 1024).toFixed(1)} KB`

/** Media types that the page may hand to the browser's decoders; the page shows no other types. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/

/** Other types become a type that no browser runs or opens. */
export const heldType = (mediaType: string): string => (SHOWN.test(mediaType) ? mediaType : 'application/octet-stream')

export type Look = 'picture' | 'video' | 'voice' | 'audio' | 'document'

export function lookOf({ as, mediaType, voice }: { as: string; mediaType: string; voice?: unknown }): Look {
  const type = heldType(mediaType)
  if (as === 'image' && type.startsWith('image/')) return 'picture'
  if (as === 'audio' && type.startsWith('audio/')) return voice ? 'voice' : 'audio'
  return as === 'file' && type.startsWith('video/') ? 'video' : 'document'
}
