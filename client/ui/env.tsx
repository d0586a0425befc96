import { createContext, use, useEffect, useState } from 'react'
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

/** The server's time, as this page estimates it. Renders again every `everyMs`. */
export function useNow(everyMs = 20_000): Date {
  const { clock } = useEnv()
  const offset = useStore(connectionStore, (state) => state.clockOffsetMs)
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return new Date(clock().getTime() + offset)
}
