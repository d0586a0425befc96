import { useLayoutEffect, useRef, useState } from 'react'

/** A frame that brings more new rows than these is of a list that goes by too fast to be read. */
const READ_ROWS = 2
/** Rows that are drawn in full in one frame, behind such frames. */
const FILLED_ROWS = 4

/**
 * Says which rows are drawn in full: all, but while a list is scrolled faster than it can be read. Rows that come then show avatar and
 * name alone, and get the rest a few in each later frame.
 */
export function useRowDetail(shownIds: string[], isScrolling: boolean): (id: string) => boolean {
  const full = useRef<ReadonlySet<string>>(new Set())
  const before = useRef<ReadonlySet<string>>(new Set())
  const [, drawAgain] = useState(0)
  const isFull = detailOf(shownIds, { full: full.current, before: before.current, isScrolling })
  const isWhole = isFull.size === shownIds.length
  useLayoutEffect(() => {
    full.current = isFull
    before.current = new Set(shownIds)
    if (isWhole) return
    // The frame after this one: its scroll event comes first, draws anew and takes this back.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => drawAgain((times) => times + 1))
    })
    return () => cancelAnimationFrame(frame)
  })
  return (id) => isFull.has(id)
}

interface Drawn {
  /** Rows that the last frame showed in full. */
  full: ReadonlySet<string>
  /** All rows of the last frame. */
  before: ReadonlySet<string>
  isScrolling: boolean
}

/** Returns the rows to draw in full. */
export function detailOf(shownIds: string[], { full, before, isScrolling }: Drawn): ReadonlySet<string> {
  const lacking = shownIds.filter((id) => !full.has(id))
  const stayed = shownIds.filter((id) => full.has(id))
  // Nothing goes by, and nothing waits from a time when it did.
  if (!isScrolling && shownIds.every((id) => full.has(id) || !before.has(id))) return new Set(shownIds)
  const fresh = shownIds.filter((id) => !before.has(id)).length
  if (fresh > READ_ROWS) return new Set(stayed)
  return new Set([...stayed, ...fromTheMiddle(lacking, shownIds).slice(0, FILLED_ROWS)])
}

/** The rows that are seen are in the middle of those that exist. */
function fromTheMiddle(ids: string[], shownIds: string[]): string[] {
  const middle = shownIds.length / 2
  const places = new Map(shownIds.map((id, at) => [id, Math.abs(at - middle)]))
  return [...ids].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}
