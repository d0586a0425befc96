import { useEffect, useState } from 'react'

/** The seconds that are left of a wait, counted down each second, and how to begin one. */
export function useSecondsLeft(): [number, (seconds: number) => void] {
  const [untilMs, setUntil] = useState(0)
  const [nowMs, setNow] = useState(0)
  useEffect(() => {
    if (untilMs === 0) return
    const timer = setInterval(() => {
      setNow(performance.now())
      if (performance.now() >= untilMs) setUntil(0)
    }, 500)
    return () => clearInterval(timer)
  }, [untilMs])
  const wait = (seconds: number) => {
    setNow(performance.now())
    setUntil(seconds > 0 ? performance.now() + seconds * 1000 : 0)
  }
  return [untilMs === 0 ? 0 : Math.max(1, Math.ceil((untilMs - nowMs) / 1000)), wait]
}
