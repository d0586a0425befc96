import { type RefObject, useEffect, useRef } from 'react'

/** Keeps a reader who is at the end there, when the composer grows or a keyboard opens. */
export function useStayAtEnd(scroller: RefObject<HTMLDivElement | null>, isAtEnd: boolean, toEnd: () => void) {
  const latest = useRef({ isAtEnd, toEnd })
  useEffect(() => {
    latest.current = { isAtEnd, toEnd }
  })
  useEffect(() => {
    if (!scroller.current) return
    const observer = new ResizeObserver(() => latest.current.isAtEnd && latest.current.toEnd())
    observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller])
}
