import { type RefObject, useEffect, useState } from 'react'

/** The server learns nothing of what one scrolls past. */
const RESTS_MS = 250

/** True once the element has been near the screen for a moment, until it is far again. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const watched = element.current
    if (!watched) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const watcher = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(timer)
        if (!entry?.isIntersecting) return setNear(false)
        timer = setTimeout(() => setNear(true), RESTS_MS)
      },
      { rootMargin: '200px' },
    )
    watcher.observe(watched)
    return () => {
      clearTimeout(timer)
      watcher.disconnect()
    }
  }, [element])
  return isNear
}
