import type { Point } from './Menu.tsx'

const LONG_PRESS_MS = 400
/** How far a finger that rests may move. */
const STILL_PX = 8

/** Calls `open` where a finger rests; false: nothing opened. What opened swallows the click that ends the press. Returns how to stop. */
export function followLongPress(area: HTMLElement, open: (target: EventTarget | null, at: Point) => boolean): () => void {
  const page = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let from: Point = { x: 0, y: 0 }
  let isLong = false
  const end = () => clearTimeout(timer)
  const down = ({ pointerType, isPrimary, target, clientX: x, clientY: y }: PointerEvent) => {
    isLong = false
    end()
    if (pointerType !== 'touch' || !isPrimary) return
    from = { x, y }
    timer = setTimeout(() => {
      isLong = open(target, from)
    }, LONG_PRESS_MS)
  }
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end()
  }
  /** A short rest is a tap for the browser, which would focus what lies beneath and so close what opened. */
  const lift = (event: TouchEvent) => {
    if (isLong && event.cancelable) event.preventDefault()
  }
  const click = (event: MouseEvent) => {
    if (!isLong) return
    isLong = false
    event.preventDefault()
    event.stopPropagation()
  }
  area.addEventListener('pointerdown', down, page)
  area.addEventListener('pointermove', move, page)
  for (const over of ['pointerup', 'pointercancel', 'contextmenu']) area.addEventListener(over, end, page)
  area.addEventListener('touchend', lift, { passive: false, signal: page.signal })
  area.addEventListener('click', click, { capture: true, signal: page.signal })
  return () => {
    end()
    page.abort()
  }
}
