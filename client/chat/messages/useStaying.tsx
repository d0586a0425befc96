import { useMemo } from 'react'
import { useStore } from 'zustand'
import { leavingStore } from './leavingMessages.ts'
import { keyOf } from './selection.ts'
import type { ShownMessage } from './store.ts'

/** The messages without those that the person has just deleted. */
export function useStaying(messages: ShownMessage[]): ShownMessage[] {
  const leaving = useStore(leavingStore, ({ keys }) => keys)
  return useMemo(
    () => (leaving.size > 0 ? messages.filter((message) => !leaving.has(keyOf(message))) : messages),
    [messages, leaving],
  )
}
