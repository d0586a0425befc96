import { useEffect, useRef, useState } from 'react'
import { failureWords } from '../ui/failure.ts'
import { useFocusBack } from '../ui/useFocusBack.tsx'
import { entriesWords, saveFile } from './adminWords.ts'

/** Saves a CSV that is read page by page, and says how far it is, or why it ended. Whoever leaves the page ends it. */
export function useExport() {
  const [said, setSaid] = useState('')
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)
  const page = useRef<AbortController>(undefined)
  useEffect(() => () => page.current?.abort(), [])

  async function save(name: string, read: (onCount: (count: number) => void) => Promise<string[]>) {
    noteFocus()
    setPending(true)
    const run = new AbortController()
    page.current = run
    const { signal } = run
    const count = (entries: number) => {
      signal.throwIfAborted()
      setSaid(entriesWords(entries))
    }
    try {
      const pieces = await read(count)
      signal.throwIfAborted()
      saveFile(name, pieces.join(''), 'text/csv')
    } catch (failure) {
      if (!signal.aborted) setSaid(failureWords(failure))
    } finally {
      setPending(false)
    }
  }

  return { said, forget: () => setSaid(''), isPending, save }
}
