import { type RefObject, useEffect, useRef } from 'react'

/** Moves the focus among the search field and the rows below it by Up and Down. Escape calls `onEscape`. */
export function useArrows(area: RefObject<HTMLElement | null>, onEscape: () => void): void {
  const latest = useRef(onEscape)
  useEffect(() => {
    latest.current = onEscape
  })
  useEffect(() => {
    const element = area.current
    if (!element) return
    const press = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
      if (event.key === 'Escape') return latest.current()
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const stops = [...element.querySelectorAll<HTMLElement>('input[type="search"], a[data-room]')]
      const at = document.activeElement instanceof HTMLElement ? stops.indexOf(document.activeElement) : -1
      if (step === 0 || at < 0) return
      event.preventDefault()
      stops[at + step]?.focus()
    }
    element.addEventListener('keydown', press)
    return () => element.removeEventListener('keydown', press)
  }, [area])
}
