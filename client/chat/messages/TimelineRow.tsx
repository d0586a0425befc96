import { memo, type ReactNode } from 'react'
import { later } from '../../ui/later.tsx'
import { TimelineLine, type Told, type WithoutKey } from './TimelineLine.tsx'
import type { Line } from './timelineLines.ts'

const Pick = later(async () => (await import('./Pick.tsx')).Pick)

type Props = WithoutKey<Line> &
  Told & {
    index: number
    /** px from the beginning of the list. */
    start: number
    about: ReactNode
    isApart: boolean
    isFound: boolean
    isCurrent: boolean
    /** undefined where nothing is selected, or this cannot be. */
    isPicked: boolean | undefined
    measure: (element: Element | null) => void
    onFocus: (index: number) => void
  }

/** `memo` spares the other rows a render. */
export const TimelineRow = memo(function TimelineRow(props: Props) {
  const { index, start, about, isApart, isFound, isCurrent, isPicked, measure, onFocus, ...line } = props
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the message in it has the focus
    <div
      className={`line ${isApart ? 'apart' : ''} ${isFound ? 'found' : ''} ${isCurrent ? 'current' : ''}`}
      data-index={index}
      onFocus={() => onFocus(index)}
      ref={measure}
      style={{ transform: `translateY(${start}px)` }}
    >
      {isPicked !== undefined && line.kind === 'message' && <Pick message={line.message} name={line.name} isOn={isPicked} />}
      {line.kind === 'about' ? about : <TimelineLine {...line} />}
    </div>
  )
})
