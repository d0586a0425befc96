import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the list scrolled to its end when the composer grows or an on-screen keyboard opens. */
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
