import { type RefObject, useEffect } from 'react'
import { useLatest } from '../../ui/useLatest.tsx'
import { stopAfter } from './focusStops.ts'

interface Rows {
  /** The rooms of all rows in their order. Only some of the rows exist in the page. */
  ids: string[]
  focus: (chatRoomId: string) => void
  /** True if something ended. */
  onEscape: () => boolean
}

/**
 * Moves the focus among the search field, the rows below it and the messages that were found, by arrows, Home, End and the keys for a
 * page.
 */
export function useArrows(area: RefObject<HTMLElement | null>, rows: Rows): void {
  const latest = useLatest(rows)
  useEffect(() => {
    const element = area.current
    if (!element) return
    const press = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
      const { ids, focus, onEscape } = latest.current
      if (event.key === 'Escape') return onEscape() && event.preventDefault()
      const field = element.querySelector<HTMLElement>('input[type="search"]')
      const found = [...element.querySelectorAll<HTMLElement>('a[data-room]')].filter((link) => !rowOf(link))
      const active = document.activeElement instanceof HTMLElement ? document.activeElement : null
      const row = active?.matches('a[data-room]') ? rowOf(active) : null
      const at =
        active === field
          ? 0
          : row
            ? Number(row.ariaPosInSet)
            : active && found.includes(active)
              ? ids.length + 1 + found.indexOf(active)
              : -1
      if (at < 0) return
      const pageRows = row ? Math.floor((element.querySelector('.list')?.clientHeight ?? 0) / row.offsetHeight) - 1 : 1
      const to = stopAfter(event.key, { at, last: ids.length + found.length, pageRows })
      if (to === undefined) return
      event.preventDefault()
      const id = ids[to - 1]
      if (to === 0) field?.focus()
      else if (id === undefined) found[to - 1 - ids.length]?.focus()
      else focus(id)
    }
    element.addEventListener('keydown', press)
    return () => element.removeEventListener('keydown', press)
  }, [area, latest])
}

const rowOf = (link: HTMLElement): HTMLElement | null => link.closest<HTMLElement>('li[aria-posinset]')
