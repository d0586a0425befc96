import { useCallback, useSyncExternalStore } from 'react'

/** True where the window has room for the list or the chat, not for both. */
export const NARROW = '(max-width: 767px)'

/** True while the window fits this media query. */
export function useMedia(query: string): boolean {
  const watch = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(watch, () => matchMedia(query).matches)
}
