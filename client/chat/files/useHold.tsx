import { useEffect, useRef, useState } from 'react'
import type { Point } from '../../ui/Menu.tsx'

/** A shorter press is a tap. */
const HOLD_MS = 500
/** Distance in px from which release discards. */
const AWAY_PX = 80

/** The press may end before this code is loaded. */
export interface Press extends Point {
  isOver: boolean
}

interface Hold {
  from: Press | undefined
  /** The pressed action has begun, so release may end the hold. */
  isReady: boolean
  onRelease: () => void
  onCancel: () => void
}

/** Release ends the action; sliding away or Esc discards; a tap does neither. */
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
    // The browser has taken over the press, so the recording stays.
    const lose = () => setHeld(false)
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Esc must close nothing else.
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
