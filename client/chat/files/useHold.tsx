import { useEffect, useRef, useState } from 'react'
import type { Point } from '../../ui/Menu.tsx'

/** A shorter press is a tap. */
const HOLD_MS = 500
/** Distance from the pressed place at which letting go throws away. */
const AWAY_PX = 80

/** Where a press began, and whether it has ended: this code may be loaded after that. */
export interface Press extends Point {
  isOver: boolean
}

interface Hold {
  /** undefined if nothing was pressed. */
  from: Press | undefined
  /** True once letting go may end the hold: what was pressed for has begun. */
  isReady: boolean
  onRelease: () => void
  onCancel: () => void
}

/** Follows a press until it ends. Released after a while it ends what it has begun; slid away, or by Esc, it gives it up; a tap does neither. */
export function useHold({ from, ...acts }: Hold): { isHeld: boolean; isAway: boolean } {
  const [isHeld, setHeld] = useState(from?.isOver === false)
  const [isAway, setAway] = useState(false)
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    if (!isHeld || !from) return
    if (from.isOver) return setHeld(false)
    const since = performance.now()
    const isFar = ({ clientX, clientY }: PointerEvent) => Math.hypot(clientX - from.x, clientY - from.y) > AWAY_PX
    const move = (event: PointerEvent) => setAway(isFar(event))
    const up = (event: PointerEvent) => {
      setHeld(false)
      const { isReady, onRelease, onCancel } = latest.current
      if (isFar(event)) onCancel()
      else if (isReady && performance.now() - since >= HOLD_MS) onRelease()
    }
    // The browser has taken the press for something else: what was recorded stays.
    const lose = () => setHeld(false)
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Nothing else is closed by the same key.
      event.stopPropagation()
      latest.current.onCancel()
    }
    document.addEventListener('pointermove', move)
    document.addEventListener('pointerup', up)
    document.addEventListener('pointercancel', lose)
    document.addEventListener('keydown', press, true)
    return () => {
      document.removeEventListener('pointermove', move)
      document.removeEventListener('pointerup', up)
      document.removeEventListener('pointercancel', lose)
      document.removeEventListener('keydown', press, true)
    }
  }, [isHeld, from])
  return { isHeld, isAway: isHeld && isAway }
}
