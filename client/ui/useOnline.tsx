import { useSyncExternalStore } from 'react'

function follow(onChange: () => void): () => void {
  for (const type of ['online', 'offline']) globalThis.addEventListener(type, onChange)
  return () => {
    for (const type of ['online', 'offline']) globalThis.removeEventListener(type, onChange)
  }
}

/** False while the browser knows that it has no network. True says nothing about the server. */
export const useOnline = (): boolean => useSyncExternalStore(follow, () => navigator.onLine)
