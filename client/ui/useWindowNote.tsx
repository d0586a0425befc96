import { type ReactNode, useEffect, useState } from 'react'

/**
 * What is said in a window whose store ends with it, and of a browser that goes without something. Its words are loaded where they are
 * needed alone.
 */
export function useWindowNote(goesWithout = ''): ReactNode {
  const [note, setNote] = useState<ReactNode>()
  useEffect(() => {
    const say = async (refusal?: Error) => setNote(await (await import('./WindowNote.tsx')).noteOn(goesWithout, refusal))
    Promise.resolve(navigator.storage?.getDirectory?.())
      .then(() => (goesWithout ? say() : undefined), say)
      .catch(() => undefined)
  }, [goesWithout])
  return note
}
