import { encode } from 'uqr'

/** Width of the white margin that readers need around the code. */
const MARGIN_MODULES = 2

export interface QrDrawing {
  /** Width and height of the drawing, margin included. */
  sizeModules: number
  /** The black modules as an SVG path, with one segment per horizontal run. */
  path: string
}

/** Draws a QR code. Throws if the text is empty or does not fit into a code. */
export function drawQr(text: string): QrDrawing {
  if (text === '') throw new Error('A QR code of nothing')
  const { data } = encode(text, { ecc: 'M', border: MARGIN_MODULES })
  const runs = data.flatMap((row, y) => runsOf(row).map(({ from, length }) => `M${from} ${y}h${length}v1h-${length}z`))
  return { sizeModules: data.length, path: runs.join('') }
}

function runsOf(row: boolean[]): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = []
  row.forEach((isBlack, x) => {
    const last = runs.at(-1)
    if (!isBlack) return
    if (last && last.from + last.length === x) last.length += 1
    else runs.push({ from: x, length: 1 })
  })
  return runs
}
