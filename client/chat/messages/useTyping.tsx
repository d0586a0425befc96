import { useEffect, useMemo } from 'react'
import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { setTyping } from './send.ts'

export function useTyping(room: Room) {
  const env = useEnv()
  const latest = useLatest(room)
  const typing = useMemo(() => typist((isTyping) => setTyping(env, latest.current, isTyping)), [env, latest])
  useEffect(() => typing.stop, [typing])
  return typing
}

function typist(tell: (isTyping: boolean) => void) {
  let pause: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (pause === undefined) return
    clearTimeout(pause)
    pause = undefined
    tell(false)
  }
  const change = (isTyping: boolean) => {
    if (!isTyping) return stop()
    clearTimeout(pause)
    pause = setTimeout(stop, PERIODS.typingShownMs)
    tell(true)
  }
  /** The message itself ends typing for the others. */
  const send = () => {
    clearTimeout(pause)
    pause = undefined
  }
  return { change, stop, send }
}
