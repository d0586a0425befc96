import { LIMITS } from '../../../contract/ground/limits.ts'
import { readsPixels } from '../../ui/readsPixels.ts'
import { PIXELS_MAX, pixelsOf } from './pixels.ts'

const MB = 1024 * 1024
/** The first bytes of what may be chosen, in characters of one byte. A name and a type say nothing. */
const BEGINNINGS = ['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a']
const BEGINNING_BYTES = 8
/** How well a JPEG keeps what it shows, from 0 to 1. */
const QUALITY = 0.86

const NO_PIXELS =
  'This browser does not let a page read pictures, so no photo can be made of one. Set it in another browser: it is shown here too.'

/** A chosen file cannot become a photo. The message names the file and says why. */
export class PictureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PictureError'
  }
}

/**
 * Reads a chosen file as pixels, turned as the camera was held; of an animated GIF its first frame. Whatever else the file held stays
 * behind: place, time and device of a photograph. Throws PictureError.
 */
export async function readPicture(file: File): Promise<ImageBitmap> {
  if (file.size > LIMITS.photoBytes) {
    const megabytes = Math.ceil((file.size / MB) * 10) / 10
    throw new PictureError(`“${file.name}” has ${megabytes} MB. A photo may have at most ${LIMITS.photoBytes / MB} MB.`)
  }
  const bytes = new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer())
  const beginning = String.fromCharCode(...bytes)
  if (!BEGINNINGS.some((each) => beginning.startsWith(each)))
    throw new PictureError(`“${file.name}” is not a JPG, PNG or GIF picture, whatever its name says.`)
  if (!readsPixels()) throw new PictureError(NO_PIXELS)
  const size = await pixelsOf(file)
  if (size && size.width * size.height > PIXELS_MAX)
    throw new PictureError(`“${file.name}” has ${size.width} × ${size.height} pixels, which is too many.`)
  try {
    if (!size) throw new RangeError('It cannot be measured')
    return await createImageBitmap(file, { imageOrientation: 'from-image' })
  } catch {
    throw new PictureError(`“${file.name}” is damaged: this browser cannot read it.`)
  }
}

/** Writes what the canvas shows as a JPEG, which holds its pixels and nothing else. */
export async function encode(canvas: HTMLCanvasElement): Promise<Blob> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!blob) throw new Error('The canvas could not be encoded')
  return blob
}
