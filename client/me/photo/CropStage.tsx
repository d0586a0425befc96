import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { moved, zoomed } from './crop.ts'
import { drawCrop } from './drawCrop.ts'
import { type Chosen, chosenStore, cropChosen } from './photo.ts'

/** One press of an arrow key, as a part of the shown side; one press of + or -. */
const STEP = 0.05
const ZOOM_STEP = 1.1
const SHOWN_PX = LIMITS.photoSidePx * 2

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** Shows the part that becomes the photo, and lets it be moved: by dragging, by two fingers, by keys. */
export function CropStage({ chosen }: { chosen: Chosen }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const fingers = useRef(new Map<number, { x: number; y: number }>())
  const { picture, crop } = chosen
  useEffect(() => {
    if (canvas.current) drawCrop(canvas.current, picture, crop)
  }, [picture, crop])
  useEffect(() => {
    const stage = canvas.current
    // React listens to the wheel passively, and could not keep the dialog from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP)
    }
    stage?.addEventListener('wheel', onWheel, { passive: false })
    return () => stage?.removeEventListener('wheel', onWheel)
  }, [])

  function press(event: KeyboardEvent) {
    const arrow = ARROWS[event.key]
    if (arrow) move(...arrow)
    else if (event.key === '+' || event.key === '=') zoom(ZOOM_STEP)
    else if (event.key === '-') zoom(1 / ZOOM_STEP)
    else return
    event.preventDefault()
  }

  function put({ pointerId, clientX: x, clientY: y, currentTarget }: PointerEvent<HTMLElement>) {
    currentTarget.setPointerCapture(pointerId)
    fingers.current.set(pointerId, { x, y })
  }

  function drag({ pointerId, clientX: x, clientY: y, currentTarget }: PointerEvent<HTMLElement>) {
    const from = fingers.current.get(pointerId)
    if (!from) return
    const [other] = [...fingers.current].filter(([id]) => id !== pointerId).map(([, at]) => at)
    fingers.current.set(pointerId, { x, y })
    if (other) return zoom(distance(other, { x, y }) / Math.max(1, distance(other, from)))
    const { width } = currentTarget.getBoundingClientRect()
    move((x - from.x) / width, (y - from.y) / width)
  }

  const lift = ({ pointerId }: PointerEvent) => void fingers.current.delete(pointerId)

  return (
    <div
      className="stage"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move what it shows
      tabIndex={0}
      role="application"
      data-first
      aria-label={`Part of “${chosen.name}” that is shown. Arrow keys move the picture, plus and minus change the zoom.`}
      onKeyDown={press}
      onPointerDown={put}
      onPointerMove={drag}
      onPointerUp={lift}
      onPointerCancel={lift}
    >
      <canvas ref={canvas} width={SHOWN_PX} height={SHOWN_PX} />
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <path d="M0 0h100v100H0zM50 0a50 50 0 1 0 0 100 50 50 0 1 0 0-100z" fillRule="evenodd" />
      </svg>
    </div>
  )
}

// Several moves may come before the next picture is drawn: each begins at the newest crop.
function move(right: number, down: number): void {
  const { chosen } = chosenStore.getState()
  if (chosen) cropChosen(moved(chosen.picture, chosen.crop, right, down))
}

function zoom(factor: number): void {
  const { chosen } = chosenStore.getState()
  if (chosen) cropChosen(zoomed(chosen.picture, chosen.crop, chosen.crop.zoom * factor))
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y)
