import { memo, type ReactNode } from 'react'
import { TimelineLine, type Told, type WithoutKey } from './TimelineLine.tsx'
import type { Line } from './timelineLines.ts'

type Props = WithoutKey<Line> &
  Told & {
    index: number
    /** Where it begins, px from the beginning of the list. */
    start: number
    /** What the first line of a room shows. */
    about: ReactNode
    isApart: boolean
    isFound: boolean
    isCurrent: boolean
    measure: (element: Element | null) => void
    /** Called with the index when the message in it gets the focus. */
    onFocus: (index: number) => void
  }

/** A line at its place. One more at the end draws none of the others anew. */
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
