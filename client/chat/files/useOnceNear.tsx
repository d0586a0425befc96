import { type RefObject, useEffect, useState } from 'react'

/** True from when the element first came near the screen. */
export function useOnceNear(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: '400px' })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [element])
  return isNear
}
