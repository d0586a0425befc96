import { type RefObject, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Env } from '../../env.ts'
import { useEnv } from '../../ui/env.tsx'
import { followSwipe, type Swiped, tick } from '../../ui/followSwipe.ts'
import type { MenuItem } from '../../ui/Menu.tsx'
import { rowItems } from './rowKeys.ts'
import './rowswipes.css'

interface Shown {
  row: HTMLElement
  close: () => void
  way: 'left' | 'right'
  items: MenuItem[]
}

/** The width of an act. */
const ACT_PX = 76
/** A swipe that leads further archives. */
const FAR = 0.6

/** What stands on a button of its width. */
const SHORT: Record<string, string> = {
  'Mark as read': 'Read',
  'Mark as unread': 'Unread',
  'Move out of the archive': 'Move out',
}

/** Rows that a finger swipes: to the left they show Mute and Archive, to the right they become read or unread. */
export function RowSwipes({ area }: { area: RefObject<HTMLElement | null> }) {
  const env = useEnv()
  const [shown, show] = useState<Shown>()
  useEffect(() => (area.current ? followRows(env, area.current, show) : undefined), [env, area])
  if (!shown) return null
  const { row, way, items, close: shut } = shown
  return createPortal(
    <div className={`row-acts ${way}`}>
      {items.map(({ icon: Icon, label, onSelect }) => (
        <button
          key={label}
          type="button"
          aria-label={label}
          onClick={() => {
            shut()
            onSelect()
          }}
        >
          <Icon className="i" aria-hidden />
          {SHORT[label] ?? label}
        </button>
      ))}
    </div>,
    row,
  )
}

function close(row: HTMLElement): void {
  row.classList.remove('swiped', 'follows', 'acts')
  row.style.removeProperty('--swiped')
}

const place = (row: HTMLElement, px: number): void => row.style.setProperty('--swiped', `${px}px`)

/** Returns how to stop. */
function followRows(env: Env, area: HTMLElement, show: (shown: Shown | undefined) => void): () => void {
  const page = new AbortController()
  let open: HTMLElement | undefined

  function shut(): void {
    if (open) close(open)
    open = undefined
    show(undefined)
  }

  function swiped({ row, way, items }: Omit<Shown, 'close'>): Swiped {
    const wide = items.length * ACT_PX
    const farPx = way === 'left' ? row.clientWidth * FAR : ACT_PX
    const last = items.at(-1)
    let isFar = false
    const reached = (px: number) => (way === 'left' ? -px : px) >= farPx
    row.classList.add('swiped', 'follows')
    return {
      move(px) {
        place(row, way === 'left' ? Math.min(0, px) : Math.max(0, Math.min(px, ACT_PX + px / 3)))
        if (reached(px) && !isFar) tick()
        isFar = reached(px)
        row.classList.toggle('acts', isFar)
      },
      end(px) {
        row.classList.remove('follows', 'acts')
        if (way === 'left' && -px > wide / 2 && !reached(px)) {
          open = row
          return place(row, -wide)
        }
        close(row)
        show(undefined)
        if (reached(px)) last?.onSelect()
      },
    }
  }

  const stop = followSwipe(area, (target, way) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('li[aria-posinset]') : null
    const chatRoomId = row?.querySelector<HTMLElement>('a[data-room]')?.dataset['room']
    if (!row || !chatRoomId || isSpent) return undefined
    const letters = way === 'left' ? 'ME' : 'U'
    const items = rowItems(env, chatRoomId).filter(({ press }) => press !== undefined && letters.includes(press))
    items.sort((a, b) => letters.indexOf(a.press ?? '') - letters.indexOf(b.press ?? ''))
    if (items.length === 0) return undefined
    shut()
    show({ row, way, items, close: shut })
    return swiped({ row, way, items })
  })
  let isClosing = false
  /** This finger has closed something, or pressed an act: it swipes nothing. */
  let isSpent = false
  /** A touch of anything else closes it; one of the row opens no chat. */
  const down = ({ target }: PointerEvent) => {
    isClosing = false
    const isOnAct = target instanceof Element && target.closest('.row-acts') !== null
    isSpent = open !== undefined || isOnAct
    if (!open || !(target instanceof Element) || isOnAct) return
    isClosing = open.contains(target)
    shut()
  }
  const click = (event: MouseEvent) => {
    if (!isClosing) return
    isClosing = false
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('pointerdown', down, { capture: true, signal: page.signal })
  area.addEventListener('click', click, { capture: true, signal: page.signal })
  area.addEventListener('scroll', () => open && shut(), { signal: page.signal })
  return () => {
    stop()
    shut()
    page.abort()
  }
}
