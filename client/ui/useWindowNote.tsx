import { type ReactNode, useEffect, useState } from 'react'

/** What is said in a window whose store ends with it; its words are loaded in such a window alone. */
export function useWindowNote(): ReactNode {
  const [note, setNote] = useState<ReactNode>()
  useEffect(() => {
    navigator.storage
      ?.getDirectory?.()
      .catch(async (refusal) => setNote(await (await import('./WindowNote.tsx')).noteOn(refusal)))
      .catch(() => undefined)
  }, [])
  return note
}
