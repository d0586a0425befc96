import { useEffect, useRef } from 'react'
import type { RoomView } from './store.ts'

/** The number of others' messages that arrived below the visible part. */
export function useNewCount(view: RoomView, isAtEnd: boolean): number {
  const newest = view.messages.findLast(({ seq }) => seq !== null)?.seq ?? 0
  const seen = useRef(newest)
  useEffect(() => {
    if (isAtEnd && !view.hasNewer) seen.current = newest
  }, [isAtEnd, newest, view.hasNewer])
  if (view.hasNewer) return view.newerCount
  return isAtEnd ? 0 : view.messages.filter(({ isMine, seq }) => !isMine && seq !== null && seq > seen.current).length
}
