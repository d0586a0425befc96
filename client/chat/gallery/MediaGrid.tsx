import { type KeyboardEvent, useRef, useState } from 'react'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { monthWords } from '../../ui/dayWords.ts'
import { useNow } from '../../ui/env.tsx'
import type { Held } from '../files/openedFiles.ts'
import type { ListedFile } from '../files/sharedPage.ts'
import { Direct } from './Direct.tsx'
import { stepInGrid } from './gridSteps.ts'
import { MediaCell } from './MediaCell.tsx'
import { monthsOf } from './shared.ts'

interface Props {
  lines: ListedFile[]
  /** No older lines follow, so the last month is whole. */
  isWhole: boolean
  room: RoomRow
  onView: (line: ListedFile & Held) => void
  onJump: (seq: number) => void
}

/** Pictures and videos by month. Tab reaches one of them, arrows lead to the others. */
export function MediaGrid({ lines, isWhole, room, onView, onJump }: Props) {
  const now = useNow(60_000)
  const grid = useRef<HTMLDivElement>(null)
  const [focusedSeq, setFocusedSeq] = useState<number>()
  const months = monthsOf(lines)
  const stop = lines.some(({ seq }) => seq === focusedSeq) ? focusedSeq : lines[0]?.seq

  function press(event: KeyboardEvent) {
    const cells = [...(grid.current?.querySelectorAll<HTMLElement>('.shared-cell') ?? [])]
    const index = cells.indexOf(event.target as HTMLElement)
    const counts = months.map((month) => month.lines.length)
    const next = stepInGrid(counts, index, event.key)
    if (next === undefined) return
    event.preventDefault()
    cells[next]?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the cells in it, which have the focus
    <div ref={grid} onKeyDown={press}>
      {months.map(({ key, at, lines }, index) => (
        <section key={key} className="shared-month" aria-labelledby={`month ${key}`}>
          <h3 id={`month ${key}`}>
            {monthWords(at, now)}
            {(isWhole || index < months.length - 1) && <span>{lines.length}</span>}
          </h3>
          <ul>
            {lines.map((line) => (
              <li key={line.seq}>
                <Direct line={line} room={room}>
                  {(shown) => (
                    <MediaCell
                      {...shown}
                      isTabStop={line.seq === stop}
                      onFocus={() => setFocusedSeq(line.seq)}
                      onView={() => onView(shown.line)}
                      onJump={() => onJump(line.seq)}
                    />
                  )}
                </Direct>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
