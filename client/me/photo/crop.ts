/** What is shown of a picture: its centre, from 0 to 1 of both sides, and how near. At zoom 1 the square is as large as fits. */
export interface Crop {
  x: number
  y: number
  zoom: number
}

interface Size {
  width: number
  height: number
}

export const WHOLE: Crop = { x: 0.5, y: 0.5, zoom: 1 }
export const ZOOM_MAX = 5

/** The square of the picture that is shown, in its pixels. It never leaves the picture. */
export function squareOf({ width, height }: Size, { x, y, zoom }: Crop): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / between(1, zoom, ZOOM_MAX)
  return { left: between(0, x * width - side / 2, width - side), top: between(0, y * height - side / 2, height - side), side }
}

/** Moves the picture under the square, by parts of the square's side: 1 to the right shows what was left of it. */
export function moved(size: Size, crop: Crop, right: number, down: number): Crop {
  const { left, top, side } = squareOf(size, crop)
  return centred(size, crop.zoom, left + side / 2 - right * side, top + side / 2 - down * side)
}

/** Goes nearer or further, with the same centre as far as it can be. */
export function zoomed(size: Size, crop: Crop, zoom: number): Crop {
  const { left, top, side } = squareOf(size, crop)
  return centred(size, between(1, zoom, ZOOM_MAX), left + side / 2, top + side / 2)
}

/** The crop with this centre in pixels. */
const centred = ({ width, height }: Size, zoom: number, x: number, y: number): Crop => ({ x: x / width, y: y / height, zoom })

const between = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value))
