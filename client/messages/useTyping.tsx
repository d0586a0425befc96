import { useEffect, useMemo } from 'react'
import { PERIODS } from '../../contract/limits.ts'
import type { Env } from '../env.ts'
import { useEnv } from '../ui/env.tsx'
import { setTyping } from './send.ts'

/** Says that the person types, and takes it back after a pause. */
export function useTyping() {
  const env = useEnv()
  const typing = useMemo(() => typist(env), [env])
  useEffect(() => typing.stop, [typing])
  return typing
}

function typist(env: Env) {
  let pause: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (pause === undefined) return
    clearTimeout(pause)
    pause = undefined
    setTyping(env, false)
  }
  const say = (isTyping: boolean) => {
    if (!isTyping) return stop()
    clearTimeout(pause)
    pause = setTimeout(stop, PERIODS.typingShownMs)
    setTyping(env, true)
  }
  return { say, stop }
}
