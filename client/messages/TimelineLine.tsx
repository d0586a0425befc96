import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNow } from '../ui/env.tsx'
import { dayHeading } from '../ui/time.ts'
import { Bubble } from './Bubble.tsx'
import { type Line, newWords } from './lines.ts'
import type { Range } from './words.ts'

interface Props {
  line: Line
  name: string
  /** What stands above the first message. */
  about: ReactNode
  isTabStop: boolean
  marks: readonly Range[] | undefined
  onRetry: (id: string) => void
  onDelete: (id: string) => void
  onDay: (from: Date) => void
}

/** One line of the timeline: a day, a notice, the line above the unread, or a message. */
export function TimelineLine({ line, about, onDay, ...bubble }: Props) {
  const now = useNow(60_000)
  if (line.kind === 'about') return about
  if (line.kind === 'day')
    return (
      <div className="day">
        <button type="button" onClick={() => onDay(new Date(line.at))} title="Go to a day">
          {dayHeading(new Date(line.at), now)}
        </button>
      </div>
    )
  if (line.kind === 'new')
    return (
      // biome-ignore lint/a11y/useSemanticElements: a rule has no words
      <div className="new-line" role="separator" aria-label={newWords(line.count)}>
        {newWords(line.count)}
      </div>
    )
  if (line.kind === 'notice' || line.kind === 'warning')
    return (
      <p className={line.kind === 'warning' ? 'sys bad' : 'sys'}>
        {line.kind === 'warning' ? <TriangleAlert className="i i-16" aria-hidden /> : <Info className="i i-16" aria-hidden />}
        {line.text}
      </p>
    )
  const { kind: _, key: __, ...place } = line
  return <Bubble {...bubble} {...place} />
}
