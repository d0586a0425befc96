import { Info, ShieldCheck, Timer, TriangleAlert } from 'lucide-react'
import { memo } from 'react'
import { useNow } from '../../ui/env.tsx'
import type { Range } from '../../ui/textPieces.ts'
import { dayHeading } from '../../ui/time.ts'
import { Bubble } from './Bubble.tsx'
import { type Line, newWords } from './timelineLines.ts'

export type WithoutKey<L> = L extends Line ? Omit<L, 'key'> : never

/** Flat props let `memo` compare lines, which each message builds again. */
export type LineProps = WithoutKey<Exclude<Line, { kind: 'about' }>> & Told

export interface Told {
  name: string
  isTabStop: boolean
  isStarred: boolean
  marks: readonly Range[] | undefined
  onUpgrade: () => void
  onDay: (from: Date) => void
}

export const TimelineLine = memo(function TimelineLine(line: LineProps) {
  if (line.kind === 'day') return <Day at={line.at} onDay={line.onDay} />
  if (line.kind === 'new')
    return (
      // biome-ignore lint/a11y/useSemanticElements: a rule has no words
      <div className="new-line" role="separator" aria-label={newWords(line.count)}>
        {newWords(line.count)}
      </div>
    )
  if (line.kind === 'compared')
    return (
      <p className="sys good">
        <ShieldCheck className="i i-16" aria-hidden />
        <span>
          {line.isByCode ? (
            <>
              You verified <bdi>{line.name}</bdi> by a contact code.
            </>
          ) : (
            <>
              You and <bdi>{line.name}</bdi> compared safety numbers. They match.
            </>
          )}
        </span>
      </p>
    )
  if (line.kind === 'timer')
    return (
      <p className="sys">
        <Timer className="i i-16" aria-hidden />
        <span>
          {line.isMine ? 'You' : <bdi>{line.name}</bdi>} {line.text}.
        </span>
      </p>
    )
  if (line.kind === 'notice' || line.kind === 'warning')
    return (
      <p className={line.kind === 'warning' ? 'sys bad' : 'sys'}>
        {line.kind === 'warning' ? <TriangleAlert className="i i-16" aria-hidden /> : <Info className="i i-16" aria-hidden />}
        {line.text}
      </p>
    )
  const { kind: _, onDay: __, ...bubble } = line
  return <Bubble {...bubble} />
})

function Day({ at, onDay }: { at: string; onDay: (from: Date) => void }) {
  const now = useNow(60_000)
  return (
    <div className="day">
      {/* The header has this action for the keyboard: Tab reaches only one message. */}
      <button type="button" tabIndex={-1} onClick={() => onDay(new Date(at))} title="Go to a day">
        {dayHeading(new Date(at), now)}
      </button>
    </div>
  )
}
