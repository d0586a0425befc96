import { useEffect, useState } from 'react'

/** Counts the times that the search was asked for: asked for again, it takes the focus again. Another room begins without it. */
export function useFind(roomId: string, isSearched: boolean) {
  const [finds, setFinds] = useState(0)
  const find = () => setFinds((count) => count + 1)
  const endFind = () => setFinds(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room begins without a search
  useEffect(() => setFinds(0), [roomId, isSearched])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f'
      if (!isFind || !isSearched || document.querySelector('[role=dialog], [role=alertdialog]')) return
      event.preventDefault()
      setFinds((count) => count + 1)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [isSearched])
  return { finds, find, endFind }
}
