import { measureElement, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { isApart, type Line } from './timelineLines.ts'

/** What a line takes, in px, as long as nothing is known. */
const MESSAGE_PX = 56
const OTHER_PX = 48

type List = Virtualizer<HTMLDivElement, Element>

/**
 * The heights of lines that have no layout yet. A line that comes at the end is taken to be as high as the last one of its shape,
 * until the browser has laid it out for the frame: to measure it at once would lay out the page in the middle of a tap on Send.
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
