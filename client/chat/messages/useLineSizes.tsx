import { measureElement, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { isApart, type Line } from './timelineLines.ts'

const MESSAGE_PX = 56
const OTHER_PX = 48

type List = Virtualizer<HTMLDivElement, Element>

/**
 * A new line takes the height of the last line of its shape until the frame's layout: a measurement would delay a tap on Send.
 */
export function useLineSizes(lines: Line[], isFollowing: boolean) {
  const seen = useRef(new Map<string, number>())
  const guessed = useRef(new Map<string, number>())
  const wasShown = useRef(false)
  useEffect(() => {
    wasShown.current ||= lines.length > 0
  })

  const newest = lines.at(-1)
  const guess = wasShown.current && isFollowing && newest && seen.current.get(shapeOf(lines, lines.length - 1))
  if (newest && guess && !guessed.current.has(newest.key)) guessed.current.set(newest.key, guess)

  const sizeOf = (index: number) => {
    const line = lines[index]
    return (line && guessed.current.get(line.key)) ?? (line?.kind === 'message' ? MESSAGE_PX : OTHER_PX)
  }
  const measure = (element: Element, entry: ResizeObserverEntry | undefined, list: List) => {
    const index = list.indexFromElement(element)
    const line = lines[index]
    if (!entry && line && guessed.current.has(line.key) && !list.itemSizeCache.has(line.key)) return sizeOf(index)
    const size = measureElement(element, entry, list)
    if (entry && line && index === lines.length - 1) seen.current.set(shapeOf(lines, index), size)
    return size
  }
  return { sizeOf, measure }
}

function shapeOf(lines: Line[], index: number): string {
  const line = lines[index]
  const shape = line?.kind === 'message' ? `${line.message.isMine} ${line.startsRun}` : line?.kind
  return `${shape} ${isApart(lines, index)}`
}
