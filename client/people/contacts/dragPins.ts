import type { Env } from '../../env.ts'
import { movePin, pinnedRows } from './markItems.tsx'
import './dragpins.css'

/** What another page or program drags has other types. */
const TYPE = 'application/x-conclave-pin'

/** Lets a pinned row of the list be dragged to the place of another one. */
export function followDrags(env: Env, area: HTMLElement, signal: AbortSignal): void {
  let dragged: string | undefined
  let over: HTMLElement | undefined
  const placeOf = (chatRoomId: string | undefined) => pinnedRows().findIndex(({ id }) => id === chatRoomId)
  const rowAt = ({ target }: Event) => (target instanceof Element ? target.closest<HTMLElement>('li[aria-posinset]') : null)
  const roomOf = (row: HTMLElement | null) => row?.querySelector<HTMLElement>('a[data-room]')?.dataset['room']

  function mark(row: HTMLElement | undefined, way = ''): void {
    over?.classList.remove('drop-above', 'drop-below')
    over = row
    if (way) row?.classList.add(way)
  }

  /** How far the dragged row goes if it is dropped here; 0 where it does not. */
  function stepsTo(event: DragEvent): number {
    if (!event.dataTransfer?.types.includes(TYPE)) return 0
    const [from, to] = [placeOf(dragged), placeOf(roomOf(rowAt(event)))]
    return from < 0 || to < 0 ? 0 : to - from
  }

  area.addEventListener(
    'dragstart',
    (event) => {
      const room = roomOf(rowAt(event))
      dragged = placeOf(room) < 0 ? undefined : room
      if (dragged) event.dataTransfer?.setData(TYPE, '')
    },
    { signal },
  )
  area.addEventListener(
    'dragover',
    (event) => {
      const steps = stepsTo(event)
      mark(steps === 0 ? undefined : (rowAt(event) ?? undefined), steps < 0 ? 'drop-above' : 'drop-below')
      if (steps !== 0) event.preventDefault()
    },
    { signal },
  )
  area.addEventListener(
    'dragleave',
    ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) mark(undefined)
    },
    { signal },
  )
  area.addEventListener(
    'drop',
    (event) => {
      const steps = stepsTo(event)
      if (steps === 0 || dragged === undefined) return
      event.preventDefault()
      void movePin(env, dragged, steps)
    },
    { signal },
  )
  area.addEventListener(
    'dragend',
    () => {
      mark(undefined)
      dragged = undefined
    },
    { signal },
  )
}
