import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 767px)'

function watch(onChange: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** True where the window has room for the list or the conversation, not for both. */
export const usePhone = (): boolean => useSyncExternalStore(watch, () => matchMedia(NARROW).matches)
