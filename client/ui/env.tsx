import { createContext, use, useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { Env } from '../env.ts'
import { connectionStore } from '../net/status.ts'

export const EnvContext = createContext<Env | null>(null)

/** The environment that verbs take as their first argument. */
export function useEnv(): Env {
  const env = use(EnvContext)
  if (!env) throw new Error('useEnv outside of EnvContext')
  return env
}

/**
 * The server's time, as this page estimates it. Renders again every `everyMs`; in between it is the same object, so that memoised
 * components stay as they are.
 */
export function useNow(everyMs = 20_000): Date {
  const { clock } = useEnv()
  const offset = useStore(connectionStore, (state) => state.clockOffsetMs)
  const [localMs, setLocalMs] = useState(() => clock().getTime())
  useEffect(() => {
    const timer = setInterval(() => setLocalMs(clock().getTime()), everyMs)
    return () => clearInterval(timer)
  }, [clock, everyMs])
  return useMemo(() => new Date(localMs + offset), [localMs, offset])
}
