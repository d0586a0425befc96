import { useEffect, useState } from 'react'
import type { Anchor } from './store.ts'

/** For so long the message stands out. */
const FOUND_MS = 3000

/** The message that was searched for, while it is marked. */
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
