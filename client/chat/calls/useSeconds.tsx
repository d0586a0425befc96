import { useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'

/** Whole seconds since a moment (ms since 1970), counted on while it is shown; 0 where there is none. */
export function useSeconds(since: number | null): number {
  const { clock } = useEnv()
  const [now, setNow] = useState(() => clock().getTime())
  useEffect(() => {
    if (since === null) return
    const tick = () => setNow(clock().getTime())
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [clock, since])
  return since === null ? 0 : Math.max(0, Math.floor((now - since) / 1000))
}
