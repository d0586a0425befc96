import { useMemo } from 'react'
import { drawQr } from './qr.ts'
import './qr.css'

interface Props {
  text: string
  /** Description of the code for screen readers. */
  label: string
  sizePx?: number
}

/** The code is black on white in both themes, because some cameras cannot read an inverted one. */
export function Qr({ text, label, sizePx = 256 }: Props) {
  const { sizeModules, path } = useMemo(() => drawQr(text), [text])
  // Every module has the same whole number of pixels. The rest widens the white margin.
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
