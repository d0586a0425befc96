import { useCallback, useEffect, useRef, useState } from 'react'
import { failureWords } from '../ui/failure.ts'

export interface Loaded<T> {
  /** undefined until the first answer. Afterwards it stays while a newer one is on its way. */
  value: T | undefined
  failure: string | undefined
  isLoading: boolean
  reload: () => void
}

/** Loads what `key` names, and again when it changes or when asked. Of several answers under way the newest question's counts. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: undefined, failure: undefined, isLoading: true })
  const [asked, setAsked] = useState(0)
  const newest = useRef({ load, question: '' })
  newest.current.load = load
  const question = `${asked} ${key}`
  useEffect(() => {
    const isWanted = () => newest.current.question === question
    newest.current.question = question
    setState((before) => ({ ...before, isLoading: true }))
    newest.current.load().then(
      (value) => isWanted() && setState({ value, failure: undefined, isLoading: false }),
      (error) => isWanted() && setState((before) => ({ ...before, failure: failureWords(error), isLoading: false })),
    )
  }, [question])
  return { ...state, reload: useCallback(() => setAsked((count) => count + 1), []) }
}
