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
    if (!scroller.current) return
    let frame = 0
    const hold = () => {
      cancelAnimationFrame(frame)
      latest.current.toEnd()
      if (performance.now() < until.current) frame = requestAnimationFrame(hold)
    }
    const observer = new ResizeObserver(() => {
      if (!latest.current.isAtEnd) return
      until.current = performance.now() + SETTLES_MS
      hold()
    })
    observer.observe(scroller.current)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [scroller])
  return () => performance.now() < until.current
}
