import type { FileContent } from '../../../contract/chat/content.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { PIXELS_MAX, pixelsOf } from '../../me/photo/pixels.ts'
import { readsPixels } from '../../ui/readsPixels.ts'
import { nameOf } from './fileWords.ts'
import { stripped } from './stripMetadata.ts'

export interface Prepared {
  file: Blob
  about: Pick<FileContent, 'as' | 'name' | 'mediaType' | 'caption' | 'picture' | 'voice'>
}

/** Maximum width or height of a smaller picture and of the preview. */
const SMALLER_PX = 1600
const THUMBNAIL_PX = 40
const QUALITY = 0.82
const VIDEO_MS = 4000

/** Removes a picture's metadata; `isSmaller` reduces the size. A picture that is too large or cannot be read becomes a document. */
export async function prepare(file: File, { caption, isSmaller }: { caption: string; isSmaller: boolean }): Promise<Prepared> {
  const about = { as: 'file' as const, name: nameOf(file.name), mediaType: typeOf(file), caption }
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') {
    const made = await preparePicture(file, isSmaller)
    const name = made && made.type !== file.type ? withEnding(about.name, made.type) : about.name
    if (made) return { file: made.file, about: { ...about, name, as: 'image', mediaType: made.type, picture: made.picture } }
    const parts = stripped(new Uint8Array(await file.arrayBuffer()))
    if (parts) return { file: new Blob(parts), about }
  }
  if (file.type.startsWith('video/')) {
    const picture = await ofVideo(file)
    return { file, about: { ...about, ...(picture && { picture }) } }
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

async function drawn(source: CanvasImageSource, width: number, height: number, sidePx: number, quality: number) {
  const scale = Math.min(1, sidePx / Math.max(width, height))
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const canvas = new OffscreenCanvas(wide, high)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no canvas')
  // JPEG has no transparency.
  context.fillStyle = 'white'
  context.fillRect(0, 0, wide, high)
  context.imageSmoothingQuality = 'high'
  context.drawImage(source, 0, 0, wide, high)
  return { blob: await canvas.convertToBlob({ type: 'image/jpeg', quality }), width: wide, height: high }
}

/** Empty where it is too large, or would be noise. */
async function thumbnailOf(source: CanvasImageSource, width: number, height: number): Promise<string> {
  if (!readsPixels()) return ''
  const { blob } = await drawn(source, width, height, THUMBNAIL_PX, 0.6)
  return blob.size <= SAID.thumbnailBytes ? toBase64(new Uint8Array(await blob.arrayBuffer())) : ''
}

/** undefined if this browser cannot play the video. */
async function ofVideo(file: File): Promise<FileContent['picture'] | undefined> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  try {
    video.muted = true
    video.preload = 'auto'
    video.src = url
    const isThere = await new Promise<boolean>((resolve) => {
      video.onloadeddata = () => resolve(true)
      video.onerror = () => resolve(false)
      setTimeout(() => resolve(false), VIDEO_MS)
    })
    const { videoWidth: width, videoHeight: height } = video
    if (!isThere || width === 0 || height === 0) return undefined
    return { width, height, thumbnail: await thumbnailOf(video, width, height) }
  } finally {
    video.removeAttribute('src')
    URL.revokeObjectURL(url)
  }
}
