import { type RefObject, useEffect, useRef } from 'react'

/** Lines that wrap anew take some frames until they are measured. */
const SETTLES_MS = 300

/**
 * Keeps the list scrolled to its end when the composer grows, an on-screen keyboard opens or the window becomes narrower. Returns a
 * function that is true while it does: what lies below the screen meanwhile was not scrolled away by anybody.
 */
export function useStayAtEnd(scroller: RefObject<HTMLDivElement | null>, isAtEnd: boolean, toEnd: () => void): () => boolean {
  const latest = useRef({ isAtEnd, toEnd })
  useEffect(() => {
    latest.current = { isAtEnd, toEnd }
  })
  const until = useRef(0)
  useEffect(() => {
    const list = scroller.current
    if (!list) return
    let [frame, height] = [0, list.clientHeight]
    const hold = () => {
      cancelAnimationFrame(frame)
      latest.current.toEnd()
      if (performance.now() < until.current) frame = requestAnimationFrame(hold)
    }
    const observer = new ResizeObserver(() => {
      // Right after a message of one's own the list is at its end, and has not said so yet.
      const wasAtEnd = height > list.clientHeight && list.scrollHeight - list.scrollTop - height < 2
      height = list.clientHeight
      if (!wasAtEnd && !latest.current.isAtEnd) return
      until.current = performance.now() + SETTLES_MS
      hold()
    })
    observer.observe(list)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [scroller])
  return () => performance.now() < until.current
}
