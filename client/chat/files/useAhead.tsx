import { useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { followControl } from './openAhead.ts'
import type { Held } from './openedFiles.ts'

/** Handlers of the control that opens or saves a file: it is opened a little before it is pressed. */
export function useAhead(held: Held): ReturnType<typeof followControl>['handlers'] {
  const env = useEnv()
  const latest = useLatest(held)
  const [{ handlers, end }] = useState(() => followControl(env, () => latest.current))
  useEffect(() => end, [end])
  return handlers
}
