import { useEffect, useRef } from 'react'
import { noteFocus } from './opener.ts'

/**
 * A button that is disabled while its work runs loses the focus. Call what this returns as the work begins: when `isPending` has ended the
 * focus is given back, unless the person has taken it elsewhere meanwhile.
 */
export function useFocusBack(isPending: boolean): () => void {
  const giveBack = useRef<() => void>(undefined)
  useEffect(() => {
    if (isPending) return
    const isLost = document.activeElement === document.body || document.activeElement?.matches('h1, [role=tabpanel]')
    if (isLost) giveBack.current?.()
    giveBack.current = undefined
  }, [isPending])
  return () => {
    giveBack.current ??= noteFocus()
  }
}
