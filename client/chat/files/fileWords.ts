import { SAID } from '../../../contract/chat/saidlimits.ts'

/** A file's name without folders and without characters that hide its ending. */
export const nameOf = (name: string): string => {
  const plain = (name.split(/[\\/]/).at(-1) ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
  return plain.length <= SAID.nameMax ? plain : `${plain.slice(0, 200)}…${plain.slice(-40)}`
}

/** "12.3 KB", and "0.1 KB" for anything smaller: no file is of nothing. */
export const sizeWords = (bytes: number): string => `${Math.max(0.1, bytes / 1024).toFixed(1)} KB`

/** Types under which a page gives bytes to the browser's own decoders of pictures and sound. Nothing else is shown inside the page. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/

/** The type under which a file is held: that of what is shown, else none that any browser runs or opens. */
export const heldType = (mediaType: string): string => (SHOWN.test(mediaType) ? mediaType : 'application/octet-stream')

export type Look = 'picture' | 'video' | 'voice' | 'audio' | 'document'

/** What a file is shown as. */
export function lookOf({ as, mediaType, voice }: { as: string; mediaType: string; voice?: unknown }): Look {
  const type = heldType(mediaType)
  if (as === 'image' && type.startsWith('image/')) return 'picture'
  if (as === 'audio' && type.startsWith('audio/')) return voice ? 'voice' : 'audio'
  return as === 'file' && type.startsWith('video/') ? 'video' : 'document'
}
