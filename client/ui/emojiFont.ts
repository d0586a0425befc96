/**
 * Loads the emoji of this build where the system has none in colour. Whole, and without waiting for one to show: the server, which sends
 * the file, learns nothing of what a chat has.
 */
export async function loadEmojiFont(): Promise<void> {
  if (hasColour()) return
  await import('./emojifont.css')
  await document.fonts.load("16px 'Noto Color Emoji Here'", '😀')
}

/** True too where a browser lets no page read a canvas: what it shows instead has colour. */
function hasColour(): boolean {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 16
  const context = canvas.getContext('2d')
  if (!context) return true
  context.font = '16px sans-serif'
  context.fillText('😀', 0, 14)
  const { data } = context.getImageData(0, 0, 16, 16)
  return data.some((value, at) => at % 4 < 2 && value !== data[at + 1])
}
