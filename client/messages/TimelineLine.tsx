import { Info, TriangleAlert } from 'lucide-react'
import { useNow } from '../ui/env.tsx'
import { dayHeading } from '../ui/time.ts'
import { Bubble } from './Bubble.tsx'
import type { Line } from './lines.ts'

interface Props {
  line: Line
  name: string
  onRetry: (id: string) => void
  onDelete: (id: string) => void
  onDay: (from: Date) => void
}

/** One line of the timeline: a day, a notice or a message. */
export function TimelineLine({ line, onDay, ...bubble }: Props) {
  const now = useNow(60_000)
  if (line.kind === 'day')
    return (
      <div className="day">
        <button type="button" onClick={() => onDay(new Date(line.at))} title="Go to a day">
          {dayHeading(new Date(line.at), now)}
        </button>
      </div>
    )
  if (line.kind === 'notice' || line.kind === 'warning')
    return (
      <p className={line.kind === 'warning' ? 'sys bad' : 'sys'}>
        {line.kind === 'warning' ? <TriangleAlert className="i i-16" aria-hidden /> : <Info className="i i-16" aria-hidden />}
        {line.text}
      </p>
    )
  return <Bubble {...bubble} message={line.message} startsRun={line.startsRun} endsRun={line.endsRun} />
}
