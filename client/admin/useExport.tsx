import { useState } from 'react'
import { failureWords } from '../ui/failure.ts'
import { useFocusBack } from '../ui/useFocusBack.tsx'
import { entriesWords, saveFile } from './adminWords.ts'

/** Saves a CSV that is read page by page, and says how far it is. */
export function useExport() {
  const [error, setError] = useState<string>()
  const [said, setSaid] = useState('')
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)

  async function save(name: string, read: (onCount: (count: number) => void) => Promise<string[]>) {
    noteFocus()
    setPending(true)
    setError(undefined)
    try {
      const pieces = await read((count) => setSaid(entriesWords(count)))
      saveFile(name, pieces.join(''), 'text/csv')
    } catch (failure) {
      setSaid('')
      setError(failureWords(failure))
    } finally {
      setPending(false)
    }
  }

  return { error, setError, said, isPending, save }
}
