import { type RefObject, useEffect } from 'react'
import { partIn } from './places.ts'

const FIELD =
  'input[type=radio]:checked, input:not([tabindex], [readonly], [type=file], [type=radio]):enabled, button:enabled, a[href], summary'
const PRESSES = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const

/**
 * Shows the part of the page that the address names behind `#`, and gives the focus to its first field. Both may come late: the title has
 * the focus until then, and whatever the person does first ends it.
 */
export function useAnchor(page: RefObject<HTMLElement | null>, place: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other parts
  useEffect(() => {
    let stop: (() => void) | undefined
    const begin = () => {
      stop?.()
      const id = partIn(location.hash)
      if (id && page.current) stop = showPart(page.current, id)
    }
    begin()
    // The router says so of each change of the address, also within one page.
    for (const change of ['pushState', 'popstate', 'hashchange']) globalThis.addEventListener(change, begin)
    return () => {
      stop?.()
      for (const change of ['pushState', 'popstate', 'hashchange']) globalThis.removeEventListener(change, begin)
    }
  }, [page, place])
}

/** Returns how to stop. */
function showPart(page: HTMLElement, id: string): () => void {
  const observer = new MutationObserver(look)
  let hasTitled = false
  function stop() {
    observer.disconnect()
    for (const press of PRESSES) removeEventListener(press, stop, true)
  }
  function look() {
    const part = page.querySelector<HTMLElement>(`#${id}`)
    const title = part?.querySelector('h2')
    if (!part || !title) return
    // A screen reader may have moved on without a press.
    const { activeElement } = document
    if (hasTitled && activeElement !== title && activeElement !== document.body) return stop()
    const field = part.querySelector<HTMLElement>(`:scope > div :is(${FIELD})`)
    title.tabIndex = -1
    const target = field ?? title
    target.focus({ preventScroll: true })
    part.scrollIntoView?.()
    hasTitled = document.activeElement === title
    if (field) stop()
  }
  observer.observe(page, { childList: true, subtree: true })
  for (const press of PRESSES) addEventListener(press, stop, { capture: true, once: true })
  look()
  return stop
}
