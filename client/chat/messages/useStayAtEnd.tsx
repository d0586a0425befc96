import { type RefObject, useEffect, useRef } from 'react'

/** Wrapped lines take some frames to be measured. */
const SETTLES_MS = 300

/**
 * Keeps the end in view when the composer, the keyboard or the window changes. The returned function is true meanwhile: the
 * person did not scroll away.
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
      // The list reaches the end after an own message before any event.
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
