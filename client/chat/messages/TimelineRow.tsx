import { memo, type ReactNode } from 'react'
import { TimelineLine, type Told, type WithoutKey } from './TimelineLine.tsx'
import type { Line } from './timelineLines.ts'

type Props = WithoutKey<Line> &
  Told & {
    index: number
    /** px from the beginning of the list. */
    start: number
    about: ReactNode
    isApart: boolean
    isFound: boolean
    isCurrent: boolean
    measure: (element: Element | null) => void
    onFocus: (index: number) => void
  }

/** `memo` spares the other rows a render. */
export const TimelineRow = memo(function TimelineRow(props: Props) {
  const { index, start, about, isApart, isFound, isCurrent, measure, onFocus, ...line } = props
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the message in it has the focus
    <div
      className={`line ${isApart ? 'apart' : ''} ${isFound ? 'found' : ''} ${isCurrent ? 'current' : ''}`}
      data-index={index}
      onFocus={() => onFocus(index)}
      ref={measure}
      style={{ transform: `translateY(${start}px)` }}
    >
      {line.kind === 'about' ? about : <TimelineLine {...line} />}
    </div>
  )
})
