import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { readsPixels } from '../../ui/readsPixels.ts'

const THUMBNAIL_PX = 40

export async function drawn(source: CanvasImageSource, width: number, height: number, sidePx: number, quality: number) {
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
export async function thumbnailOf(
  source: CanvasImageSource,
  width: number,
  height: number,
  sidePx = THUMBNAIL_PX,
  quality = 0.6,
): Promise<string> {
  if (!readsPixels()) return ''
  const { blob } = await drawn(source, width, height, sidePx, quality)
  return blob.size <= SAID.thumbnailBytes ? toBase64(new Uint8Array(await blob.arrayBuffer())) : ''
}
