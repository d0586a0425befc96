import { readsPixels, TOLERANCE } from './readsPixels.ts'

/** After the first messages. */
const WAIT_MS = 3000

/**
 * Loads the emoji of this build where the system has none in colour. Whole, and without waiting for one to show: the server, which sends
 * the file, learns nothing of what a chat has.
 */
export async function loadEmojiFont(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (connection?.saveData || hasColour()) return
  await import('./emojifont.css')
  await document.fonts.load("16px 'Noto Color Emoji Here'", '😀')
}

/** True too where a browser gives a page noise for pixels: such a browser brings its own. */
export function hasColour(): boolean {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 16
  const context = canvas.getContext('2d')
  if (!context || !readsPixels()) return true
  context.font = '16px sans-serif'
  context.fillText('😀', 0, 14)
  const { data } = context.getImageData(0, 0, 16, 16)
  return data.some((value, at) => at % 4 < 2 && Math.abs(value - (data[at + 1] ?? value)) > TOLERANCE)
}
