import { type PointerEvent, useEffect, useRef, useState, type WheelEvent } from 'react'

const SCALE_MAX = 8
/** Finger distance in px for the next picture. */
const SWIPE_PX = 60

interface View {
  scale: number
  x: number
  y: number
}
const WHOLE: View = { scale: 1, x: 0, y: 0 }

/** Only a whole picture can be swiped. */
export function useZoom(picture: string, step: (by: number) => void) {
  const [view, setView] = useState(WHOLE)
  const fingers = useRef(new Map<number, { x: number; y: number }>())
  const start = useRef<{ x: number; y: number; distance: number; view: View }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each picture begins whole
  useEffect(() => setView(WHOLE), [picture])

  const by = (factor: number) =>
    setView((now) => {
      const scale = Math.min(SCALE_MAX, Math.max(1, now.scale * factor))
      return scale === 1 ? WHOLE : { scale, x: (now.x * scale) / now.scale, y: (now.y * scale) / now.scale }
    })
  const reset = () => setView(WHOLE)
  const isNear = view.scale > 1

  function begin() {
    const [one, two] = [...fingers.current.values()]
    if (!one) return
    start.current = {
      x: two ? (one.x + two.x) / 2 : one.x,
      y: two ? (one.y + two.y) / 2 : one.y,
      distance: two ? Math.hypot(one.x - two.x, one.y - two.y) : 0,
      view,
    }
  }

  function down(event: PointerEvent) {
    event.currentTarget.setPointerCapture(event.pointerId)
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
    begin()
  }

  function move(event: PointerEvent) {
    if (!fingers.current.has(event.pointerId) || !start.current) return
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
    const [one, two] = [...fingers.current.values()]
    const { view: from, distance, x, y } = start.current
    if (one && two && distance > 0) {
      const scale = Math.min(SCALE_MAX, Math.max(1, (from.scale * Math.hypot(one.x - two.x, one.y - two.y)) / distance))
      setView({ scale, x: from.x + (one.x + two.x) / 2 - x, y: from.y + (one.y + two.y) / 2 - y })
    } else if (one && from.scale > 1) setView({ ...from, x: from.x + one.x - x, y: from.y + one.y - y })
  }

  function up(event: PointerEvent) {
    const begun = start.current
    const isSwipe = begun && fingers.current.size === 1 && begun.view.scale === 1 && event.pointerType !== 'mouse'
    fingers.current.delete(event.pointerId)
    start.current = undefined
    if (fingers.current.size > 0) return begin()
    if (view.scale === 1) reset()
    if (isSwipe && Math.abs(event.clientX - begun.x) > SWIPE_PX) step(event.clientX < begun.x ? 1 : -1)
  }

  return {
    ...view,
    isNear,
    by,
    reset,
    toggle: () => (isNear ? reset() : by(2.5)),
    handlers: {
      onPointerDown: down,
      onPointerMove: move,
      onPointerUp: up,
      onPointerCancel: up,
      onDoubleClick: () => (isNear ? reset() : by(2.5)),
      onWheel: (event: WheelEvent) => by(event.deltaY < 0 ? 1.2 : 1 / 1.2),
    },
  }
}
