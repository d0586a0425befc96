/** px */
const WIDE = 340
const HIGH = 360
/** A smaller picture stays its size, in a well. */
const WELL = 160

interface Frame {
  width: number
  aspectRatio: string
  '--fit'?: string
}

/** The frame of a picture or a video, known before it loads. */
export function frameOf({ width, height }: { width: number; height: number }): Frame {
  const scale = Math.min(1, WIDE / width, HIGH / height)
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)]
  const isWell = wide < WELL || high < WELL / 2
  const [frameWide, frameHigh] = [Math.max(WELL, wide), Math.max(WELL / 2, high)]
  return { width: frameWide, aspectRatio: `${frameWide} / ${frameHigh}`, ...(isWell && { '--fit': 'scale-down' }) }
}
