/** How far a finger moves before it swipes. */
const BEGIN_PX = 8
/** From there on a swipe acts. */
const ACT_PX = 56
/** The browser goes back by a swipe that begins there. */
const EDGE_PX = 24

interface Swiped {
  element: HTMLElement
  act: () => void
}

/** Follows a finger that swipes to the right over something that `find` returns. Returns how to stop. */
export function followSwipe(area: HTMLElement, find: (target: EventTarget | null) => Swiped | undefined): () => void {
  const page = new AbortController()
  let from: { x: number; y: number } | undefined
  let swipe: (Swiped & { px: number }) | undefined

  /** Returns what the swipe has reached. */
  function end(): (() => void) | undefined {
    from = undefined
    if (!swipe) return undefined
    const { element, act, px } = swipe
    swipe = undefined
    element.classList.remove('swiped', 'acts')
    element.style.translate = ''
    return px >= ACT_PX ? act : undefined
  }
  const down = ({ pointerType, isPrimary, clientX: x, clientY: y }: PointerEvent) => {
    end()
    if (pointerType === 'touch' && isPrimary && x > EDGE_PX) from = { x, y }
  }
  const move = ({ target, clientX, clientY }: PointerEvent) => {
    if (!from) return
    const px = Math.max(0, clientX - from.x)
    if (!swipe && px > BEGIN_PX && px > 2 * Math.abs(clientY - from.y)) {
      const found = find(target)
      if (!found) return void end()
      swipe = { ...found, px: 0 }
      found.element.classList.add('swiped')
    }
    if (!swipe) return
    swipe.element.style.translate = `${px > ACT_PX ? ACT_PX + (px - ACT_PX) / 3 : px}px 0`
    if (px >= ACT_PX && swipe.px < ACT_PX) navigator.vibrate?.(10)
    swipe.element.classList.toggle('acts', px >= ACT_PX)
    swipe.px = px
  }
  area.addEventListener('pointerdown', down, page)
  area.addEventListener('pointermove', move, page)
  area.addEventListener('pointerup', () => end()?.(), page)
  area.addEventListener('pointercancel', () => void end(), page)
  return () => {
    end()
    page.abort()
  }
}
