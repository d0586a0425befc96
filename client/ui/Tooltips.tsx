import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Delay before the first tooltip, and how long after one the next comes at once. */
const DELAY_MS = 700
const SKIP_MS = 300
/** px from the button, and from the edges of the window. */
const GAP = 6
const EDGE = 8

/**
 * Shows the label of the icon button under the pointer or the focus. One for the whole page, because one for each button would be a
 * third of the code of a chat. Screen readers read the label itself, and touch screens show none.
 */
export function Tooltips() {
  const [button, setButton] = useState<HTMLElement | null>(null)
  const tip = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let over: HTMLElement | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let closedAt = Number.NEGATIVE_INFINITY
    let isShown = false
    const show = (next: HTMLElement) => {
      isShown = true
      setButton(next)
    }
    const hide = () => {
      clearTimeout(timer)
      if (isShown) closedAt = performance.now()
      isShown = false
      setButton(null)
    }
    const look = (event: Event) => {
      const next = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      if (next === over) return
      over = next
      hide()
      if (!next || (event instanceof PointerEvent && event.pointerType === 'touch')) return
      const isByKey = event.type === 'focusin' && next.matches(':focus-visible')
      if (event.type === 'focusin' && !isByKey) return
      const isNext = performance.now() - closedAt < SKIP_MS
      timer = setTimeout(() => show(next), isByKey || isNext ? 0 : DELAY_MS)
    }
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide()
    }
    document.addEventListener('pointerover', look)
    document.addEventListener('focusin', look)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', press)
    document.addEventListener('scroll', hide, true)
    return () => {
      hide()
      document.removeEventListener('pointerover', look)
      document.removeEventListener('focusin', look)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', press)
      document.removeEventListener('scroll', hide, true)
    }
  }, [])

  // Placed by its own size, which is known only once it is drawn.
  useLayoutEffect(() => {
    if (!button || !tip.current) return
    const at = button.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height, style } = tip.current
    const left = at.left + at.width / 2 - width / 2
    const below = at.bottom + GAP
    style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`
    style.top = `${below + height + EDGE <= innerHeight ? below : at.top - height - GAP}px`
  }, [button])

  if (!button?.isConnected) return null
  return (
    <div ref={tip} className="tip" aria-hidden="true">
      {button.ariaLabel}
    </div>
  )
}
