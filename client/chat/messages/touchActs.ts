import type { Point } from '../../ui/Menu.tsx'

/** Time until a finger that rests on a message opens its menu. */
const LONG_PRESS_MS = 400
/** How far such a finger may move. */
const STILL_PX = 8
/** From there on a swipe replies. */
const REPLY_PX = 56
/** The browser goes back by a swipe that begins there. */
const EDGE_PX = 24

interface Acts {
  /** Returns false where nothing can be opened. */
  open(target: EventTarget | null, at: Point): boolean
  /** Returns what moves, and what a swipe does; undefined if a swipe does nothing. */
  swiped(target: EventTarget | null): { element: HTMLElement; act: () => void } | undefined
}

/** Follows a finger on the messages: a long press opens the menu, a swipe to the right replies. Returns how to stop. */
export function followTouch(area: HTMLElement, acts: Acts): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let from: Point | undefined
  let isLong = false
  let swipe: (ReturnType<Acts['swiped']> & { px: number }) | undefined

  function end() {
    clearTimeout(timer)
    from = undefined
    if (!swipe) return
    const { element, act, px } = swipe
    swipe = undefined
    element.classList.remove('swiped', 'replies')
    element.style.translate = ''
    return px >= REPLY_PX ? act : undefined
  }
  const down = (event: PointerEvent) => {
    isLong = false
    end()
    if (event.pointerType !== 'touch' || !event.isPrimary) return
    const { target, clientX: x, clientY: y } = event
    from = { x, y }
    timer = setTimeout(() => {
      isLong = acts.open(target, { x, y })
      end()
    }, LONG_PRESS_MS)
  }
  const move = ({ target, clientX, clientY }: PointerEvent) => {
    if (!from) return
    const [right, down] = [clientX - from.x, clientY - from.y]
    if (Math.hypot(right, down) > STILL_PX) clearTimeout(timer)
    if (!swipe && right > STILL_PX && right > 2 * Math.abs(down) && from.x > EDGE_PX) {
      const found = acts.swiped(target)
      if (!found) return end()
      swipe = { ...found, px: 0 }
      found.element.classList.add('swiped')
    }
    if (!swipe) return
    const px = Math.max(0, right)
    swipe.element.style.translate = `${px > REPLY_PX ? REPLY_PX + (px - REPLY_PX) / 3 : px}px 0`
    if (px >= REPLY_PX && swipe.px < REPLY_PX) navigator.vibrate?.(10)
    swipe.element.classList.toggle('replies', px >= REPLY_PX)
    swipe.px = px
  }
  const up = () => end()?.()
  const lose = () => void end()
  const click = (event: MouseEvent) => {
    // The finger that opened the menu presses nothing.
    if (isLong) {
      event.preventDefault()
      event.stopPropagation()
    }
    isLong = false
  }
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: lose }
  for (const [type, listener] of Object.entries(listeners)) area.addEventListener(type, listener as EventListener)
  area.addEventListener('click', click, true)
  return () => {
    end()
    for (const [type, listener] of Object.entries(listeners)) area.removeEventListener(type, listener as EventListener)
    area.removeEventListener('click', click, true)
  }
}
