import type { FileContent } from '../../../contract/chat/content.ts'
import { PIXELS_MAX, pixelsOf } from '../../me/photo/pixels.ts'
import { readsPixels } from '../../ui/readsPixels.ts'
import { drawn, thumbnailOf } from './drawn.ts'
import { nameOf } from './fileWords.ts'
import { posterOf } from './poster.ts'
import { stripped } from './stripMetadata.ts'

export interface Prepared {
  file: Blob
  about: Pick<
    FileContent,
    'as' | 'name' | 'mediaType' | 'caption' | 'picture' | 'voice' | 'seconds' | 'album' | 'quote' | 'isForwarded'
  >
  isOnce?: true | undefined
}

interface Asked {
  caption: string
  isSmaller: boolean
  /** A file that becomes a document has none. */
  album?: FileContent['album']
}

/** Maximum width or height of a smaller picture. */
const SMALLER_PX = 1600
const QUALITY = 0.82

/** Removes a picture's metadata; `isSmaller` reduces the size. A picture that is too large or cannot be read becomes a document. */
export async function prepare(file: File, { caption, isSmaller, album }: Asked): Promise<Prepared> {
  const about = { as: 'file' as const, name: nameOf(file.name), mediaType: typeOf(file), caption }
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') {
    const made = await preparePicture(file, isSmaller)
    const name = made && made.type !== file.type ? withEnding(about.name, made.type) : about.name
    if (made) {
      const { type: mediaType, picture } = made
      return { file: made.file, about: { ...about, name, as: 'image', mediaType, picture, ...(album && { album }) } }
    }
    const parts = stripped(new Uint8Array(await file.arrayBuffer()))
    if (parts) return { file: new Blob(parts), about }
  }
  if (file.type.startsWith('video/')) {
    return { file, about: { ...about, ...(await posterOf(file)) } }
  }
  return { file, about: file.type.startsWith('audio/') ? { ...about, as: 'audio' } : about }
}

const typeOf = ({ type }: File): string =>
  /^[\w.+-]+\/[\w.+-]+$/.test(type) && type.length <= 100 ? type : 'application/octet-stream'

const withEnding = (name: string, type: string): string =>
  `${name.replace(/\.[^.]{1,5}$/, '')}.${type === 'image/jpeg' ? 'jpg' : type.slice(6)}`

async function preparePicture(file: File, isSmaller: boolean) {
  const size = await pixelsOf(file)
  if (size ? size.width * size.height > PIXELS_MAX : file.type === 'image/gif') return undefined
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return undefined
  try {
    const { width, height } = bitmap
    const picture = { width, height, thumbnail: await thumbnailOf(bitmap, width, height) }
    const isGif = size?.type === 'image/gif'
    const isDrawn = readsPixels()
    if (isSmaller && isDrawn && !isGif && Math.max(width, height) > SMALLER_PX) {
      const smaller = await drawn(bitmap, width, height, SMALLER_PX, QUALITY)
      if (smaller.blob.size < file.size)
        return { file: smaller.blob, type: 'image/jpeg', picture: { ...picture, width: smaller.width, height: smaller.height } }
    }
    if (isGif) return { file, type: 'image/gif', picture }
    const parts = size && stripped(new Uint8Array(await file.arrayBuffer()))
    if (parts) return { file: new Blob(parts), type: size.type, picture }
    if (!isDrawn) return undefined
    // A new encoding of other types keeps only the pixels.
    const fit = Math.min(1, Math.sqrt(PIXELS_MAX / (width * height)))
    const anew = await drawn(bitmap, width, height, Math.floor(Math.max(width, height) * fit), 0.92)
    return { file: anew.blob, type: 'image/jpeg', picture: { ...picture, width: anew.width, height: anew.height } }
  } finally {
    bitmap.close()
  }
}
