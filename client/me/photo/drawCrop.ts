import { type Crop, squareOf } from './crop.ts'

/** Draws what the crop shows of a picture onto the whole canvas. */
export function drawCrop(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no canvas')
  const { left, top, side } = squareOf(picture, crop)
  // A JPEG has no holes.
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height)
}
