import { type RefObject, useEffect, useState } from 'react'

/** Time until a finger that rests on a row opens its menu. */
const LONG_PRESS_MS = 500
/** How far such a finger may move. */
const STILL_PX = 8

interface Asked {
  chatRoomId: string
  /** px of the window. */
  at: { x: number; y: number }
}

/** The row whose menu is asked for: by a right click, by the keyboard's menu key, by a long press, or by the row's button. */
export function useRowMenu(area: RefObject<HTMLElement | null>): [Asked | undefined, () => void] {
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    const element = area.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let from = { x: 0, y: 0 }
    let isLong = false
    const end = () => clearTimeout(timer)

    const open = (event: Event, at: { x: number; y: number }): boolean => {
      const row = event.target instanceof Element ? event.target.closest('li') : null
      const link = row?.querySelector<HTMLElement>('a[data-room]')
      const chatRoomId = link?.dataset['room']
      if (!row || !link || !chatRoomId) return false
      // The menu gives the focus back to the row.
      link.focus({ preventScroll: true })
      const box = row.getBoundingClientRect()
      // A key has no place: the menu opens at the row.
      setAsked({ chatRoomId, at: at.x === 0 && at.y === 0 ? { x: box.left + 60, y: box.top + 40 } : at })
      return true
    }
    const context = (event: MouseEvent) => {
      end()
      if (open(event, { x: event.clientX, y: event.clientY })) event.preventDefault()
    }
    const down = (event: PointerEvent) => {
      isLong = false
      if (event.pointerType !== 'touch') return
      from = { x: event.clientX, y: event.clientY }
      timer = setTimeout(() => {
        isLong = open(event, from)
      }, LONG_PRESS_MS)
    }
    const move = (event: PointerEvent) => {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL_PX) end()
    }
    const click = (event: MouseEvent) => {
      const button = event.target instanceof Element ? event.target.closest('.more') : null
      if (button) {
        const box = button.getBoundingClientRect()
        open(event, { x: box.left, y: box.bottom })
      }
      // The finger that opened the menu does not open the chat as well.
      if (button || isLong) {
        event.preventDefault()
        event.stopPropagation()
      }
      isLong = false
    }
    element.addEventListener('contextmenu', context)
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    for (const over of ['pointerup', 'pointercancel']) element.addEventListener(over, end)
    element.addEventListener('click', click, true)
    return () => {
      end()
      element.removeEventListener('contextmenu', context)
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      for (const over of ['pointerup', 'pointercancel']) element.removeEventListener(over, end)
      element.removeEventListener('click', click, true)
    }
  }, [area])
  return [asked, () => setAsked(undefined)]
}
