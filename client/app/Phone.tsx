import { useEffect } from 'react'
import { followBack } from './backKey.ts'
import { followKeyboard } from './coveredPart.ts'

/** What a phone has and a desk has not: a Back that is pressed to close things, and a keyboard that lies over the page. */
export function Phone({ isNarrow }: { isNarrow: boolean }) {
  useEffect(() => (isNarrow ? followBack() : undefined), [isNarrow])
  useEffect(followKeyboard, [])
  return null
}
