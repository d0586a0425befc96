import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useState } from 'react'
import type { Anchor } from './store.ts'
import { holds, type Line } from './timelineLines.ts'

const FOUND_MS = 3000

/** Returns the id of the highlighted search result. */
export function useAnchor(
  focusAt: (index: number) => Promise<void>,
  virtual: Virtualizer<HTMLDivElement, Element>,
  lines: Line[],
  anchor: Anchor | null,
): string | undefined {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each jump, not again when lines come
  useEffect(() => {
    const index = lines.findIndex((line) => holds(line, anchor?.id))
    if (index < 0) return
    const top = ['day', 'new'].includes(lines[index - 1]?.kind ?? '') ? index - 1 : index
    if (anchor?.place === 'top' || anchor?.place === 'unread') return virtual.scrollToIndex(top, { align: 'start' })
    virtual.scrollToIndex(index, { align: 'center' })
    // The timeline itself would wear the ring of the focus.
    if (anchor?.place === 'middle') void focusAt(index)
  }, [virtual, anchor])

  const [foundId, setFoundId] = useState<string>()
  useEffect(() => {
    if (anchor?.place !== 'middle') return setFoundId(undefined)
    setFoundId(anchor.id)
    const timer = setTimeout(() => setFoundId(undefined), FOUND_MS)
    return () => clearTimeout(timer)
  }, [anchor])
  return foundId
}
