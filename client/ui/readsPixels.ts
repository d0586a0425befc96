const SIDE_PX = 16
const COLOUR = [10, 200, 30] as const
/** A browser against fingerprints may change a pixel by as much, which harms no picture. */
export const TOLERANCE = 8

/**
 * False where a page gets noise instead of what it has drawn: Tor Browser does so, until the person allows it. So it is asked each time.
 */
export function readsPixels(): boolean {
  if (typeof OffscreenCanvas === 'undefined') return true
  const context = new OffscreenCanvas(SIDE_PX, SIDE_PX).getContext('2d')
  if (!context) return false
  context.fillStyle = `rgb(${COLOUR.join()})`
  context.fillRect(0, 0, SIDE_PX, SIDE_PX)
  const { data } = context.getImageData(0, 0, SIDE_PX, SIDE_PX)
  return data.every((value, at) => Math.abs(value - (COLOUR[at % 4] ?? 255)) <= TOLERANCE)
}
