import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import './beside.css'
import { useLatest } from './useLatest.tsx'
import { useOver } from './useOver.tsx'

/** px around what opens beside something. */
export const GAP = 8

interface Props {
  label: string
  className: string
  /** What opened it, if that is still there. */
  anchor?: HTMLElement
  /** Returns its corner, px of the window; both are kept within the window. */
  place: (size: { width: number; height: number }) => { left: number; top: number }
  onClose: () => void
  children: ReactNode
}

/** Stands beside what opened it, and above what it covers. A press elsewhere, Escape and Tab beyond its ends close it. */
export function Beside({ label, className, anchor, place, onClose, children }: Props) {
  const sheet = useRef<HTMLDivElement>(null)
  const latest = useLatest(onClose)
  const giveBack = useOver(onClose)
  useLayoutEffect(() => {
    const { current } = sheet
    if (!current) return
    const { offsetWidth: width, offsetHeight: height } = current
    const { left, top } = place({ width, height })
    current.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`
    current.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`
  })
  useEffect(() => {
    const { current } = sheet
    // A field in it may have taken the focus.
    if (!current?.contains(document.activeElement)) current?.focus({ preventScroll: true })
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !sheet.current?.contains(target) && !anchor?.contains(target)) latest.current()
    }
    const close = () => latest.current()
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    addEventListener('resize', close)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
      removeEventListener('resize', close)
      const isLost = () => document.activeElement === document.body
      if (isLost()) giveBack()
      if (isLost()) anchor?.focus()
    }
  }, [anchor, latest, giveBack])

  function press(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    // The chat behind would close too.
    event.stopPropagation()
    onClose()
  }

  return (
    <div ref={sheet} className={`popover ${className}`} role="dialog" aria-label={label} tabIndex={-1} onKeyDown={press}>
      {children}
    </div>
  )
}
