import { useLayoutEffect, useRef, useState } from 'react'

/** px */
const PITCH = 6
const BAR = 3
const HIGH = 28

/** Bars of 3 px, as many as there is room for; `part` of them are played. */
export function Wave({ peaks, part }: { peaks: number[]; part: number }) {
  const wave = useRef<SVGSVGElement>(null)
  const [count, setCount] = useState(32)
  useLayoutEffect(() => {
    const element = wave.current
    if (!element) return
    const watcher = new ResizeObserver(() => {
      const { width } = element.getBoundingClientRect()
      if (width > 0) setCount(Math.max(1, Math.floor((width + PITCH - BAR) / PITCH)))
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return (
    <svg ref={wave} className="wave" aria-hidden="true">
      {barsOf(peaks, count).map((peak, at) => {
        const high = Math.max(BAR, Math.round((peak / 255) * HIGH))
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars stay in their places
            key={at}
            className={at / count < part ? 'played' : undefined}
            x={at * PITCH}
            y={(HIGH - high) / 2}
            width={BAR}
            height={high}
            rx={BAR / 2}
          />
        )
      })}
    </svg>
  )
}

/** The loudest of each part. */
export function barsOf(peaks: number[], count: number): number[] {
  return Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * peaks.length) / count)
    const to = Math.max(from + 1, Math.floor(((at + 1) * peaks.length) / count))
    return Math.max(0, ...peaks.slice(from, to))
  })
}
