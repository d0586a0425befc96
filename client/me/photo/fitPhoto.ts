import { LIMITS } from '../../../contract/ground/limits.ts'
import { readsPixels } from '../../ui/readsPixels.ts'
import { pixelsOf } from './pixels.ts'

const KEPT_PIXELS = 1024 * 1024

/** Makes a large photo small. undefined for what cannot be measured or would fill the memory. */
export async function fitPhoto(photo: Blob): Promise<Blob | undefined> {
  const size = await pixelsOf(photo)
  if (!size) return undefined
  const { width, height } = size
  if (width * height > LIMITS.photoPixels) return undefined
  if (width * height <= KEPT_PIXELS || !readsPixels()) return photo
  const scale = LIMITS.photoSidePx / Math.min(width, height)
  const [resizeWidth, resizeHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number]
  const picture = await createImageBitmap(photo, { resizeWidth, resizeHeight, resizeQuality: 'high' })
  const canvas = new OffscreenCanvas(LIMITS.photoSidePx, LIMITS.photoSidePx)
  const [left, top] = [canvas.width - resizeWidth, canvas.height - resizeHeight].map((rest) => rest / 2) as [number, number]
  canvas.getContext('2d')?.drawImage(picture, left, top)
  picture.close()
  return await canvas.convertToBlob({ type: 'image/png' })
}
