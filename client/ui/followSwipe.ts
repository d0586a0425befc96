/** How far a finger moves before it swipes. */
const BEGIN_PX = 8
/** The browser goes back or forward by a swipe that begins there. */
const EDGE_PX = 24

/** What follows the finger. `px`: to the right of where it began, negative to the left. */
export interface Swiped {
  move: (px: number) => void
  /** 0 where the swipe was taken away. */
  end: (px: number) => void
}

/** Follows a finger that swipes over something that `find` returns for this way. Returns how to stop. */
export function followSwipe(
  area: HTMLElement,
  find: (target: EventTarget | null, way: 'left' | 'right') => Swiped | undefined,
): () => void {
  const page = new AbortController()
  let from: { x: number; y: number } | undefined
  let swiped: Swiped | undefined

  function end(px: number): void {
    const ended = swiped
    from = undefined
    swiped = undefined
    ended?.end(px)
  }
  const down = ({ pointerType, isPrimary, clientX: x, clientY: y }: PointerEvent) => {
    end(0)
    if (pointerType === 'touch' && isPrimary && x > EDGE_PX && x < innerWidth - EDGE_PX) from = { x, y }
  }
  const move = ({ target, clientX, clientY }: PointerEvent) => {
    if (!from) return
    const px = clientX - from.x
    if (!swiped && Math.abs(px) > BEGIN_PX && Math.abs(px) > 2 * Math.abs(clientY - from.y)) {
      // A rest has opened a menu, which keeps the finger.
      swiped = document.querySelector('[role="menu"]') ? undefined : find(target, px > 0 ? 'right' : 'left')
      if (!swiped) from = undefined
    }
    swiped?.move(px)
  }
  area.addEventListener('pointerdown', down, page)
  area.addEventListener('pointermove', move, page)
  area.addEventListener('pointerup', ({ clientX }) => end(from ? clientX - from.x : 0), page)
  area.addEventListener('pointercancel', () => end(0), page)
  return () => {
    end(0)
    page.abort()
  }
}

/** Says to a finger that what it reached acts when it lifts. */
export const tick = (): void => void navigator.vibrate?.(10)
