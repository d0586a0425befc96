import { type RefObject, useEffect, useState } from 'react'
import { useNow } from '../../ui/env.tsx'
import { dayHeading } from '../../ui/time.ts'
import { useLatest } from '../../ui/useLatest.tsx'

const FADES_AFTER_MS = 1000

interface Props {
  scroller: RefObject<HTMLElement | null>
  /** ISO 8601; undefined if the day's heading or the end is on screen. */
  firstShown: () => string | undefined
}

/** The headings tell screen readers the day. */
export function StickyDay({ scroller, firstShown }: Props) {
  const now = useNow(60_000)
  const [at, setAt] = useState<string>()
  const [isOn, setOn] = useState(false)
  const latest = useLatest(firstShown)
  useEffect(() => {
    const element = scroller.current
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      const first = latest.current()
      if (first) setAt(first)
      setOn(first !== undefined)
      clearTimeout(timer)
      timer = setTimeout(() => setOn(false), FADES_AFTER_MS)
    }
    element?.addEventListener('scroll', look, { passive: true })
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('scroll', look)
    }
  }, [scroller, latest])
  return (
    <p className={isOn ? 'sticky-day on' : 'sticky-day'} aria-hidden="true">
      {at && dayHeading(new Date(at), now)}
    </p>
  )
}
