import { useEffect, useState } from 'react'
import type { Anchor } from './store.ts'

/** How long a search result is highlighted. */
const FOUND_MS = 3000

/** The id of the search result while it is highlighted. */
export function useFound(anchor: Anchor | null): string | undefined {
  const [foundId, setFoundId] = useState<string>()
  useEffect(() => {
    if (anchor?.place !== 'middle') return setFoundId(undefined)
    setFoundId(anchor.id)
    const timer = setTimeout(() => setFoundId(undefined), FOUND_MS)
    return () => clearTimeout(timer)
  }, [anchor])
  return foundId
}
