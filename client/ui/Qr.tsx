import { useMemo } from 'react'
import { drawQr } from './qr.ts'
import './qr.css'

interface Props {
  text: string
  /** What the code is, for those who cannot see it. */
  label: string
  sizePx?: number
}

/** Black on white in both themes: an inverted code is one that some cameras cannot read. */
export function Qr({ text, label, sizePx = 256 }: Props) {
  const { sizeModules, path } = useMemo(() => drawQr(text), [text])
  // Every module is as many whole pixels as the next one; what is left over widens the white margin.
  const modulePx = Math.max(1, Math.floor(sizePx / sizeModules))
  const sidePx = Math.max(sizePx, modulePx * sizeModules)
  const edgePx = Math.floor((sidePx - modulePx * sizeModules) / 2)
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      width={sidePx}
      height={sidePx}
      viewBox={`0 0 ${sidePx} ${sidePx}`}
      shapeRendering="crispEdges"
    >
      <rect width={sidePx} height={sidePx} fill="#fff" />
      <path d={path} fill="#000" transform={`translate(${edgePx} ${edgePx}) scale(${modulePx})`} />
    </svg>
  )
}
