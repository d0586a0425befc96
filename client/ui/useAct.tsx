import { useState } from 'react'
import { failureWords, failureWordsOr } from './failure.ts'
import { showToast } from './toast.ts'
import { useFocusBack } from './useFocusBack.tsx'

interface Act<T> {
  run: () => Promise<T>
  /** What is said when it is done; nothing where the screen shows it by itself. */
  done?: (result: T) => { title: string; text: string } | undefined
  /** Title of the toast where it failed; its text says why. */
  failed: string
  /** What it says of a failure that has no words of its own. */
  words?: string
}

/** Runs acts with their toasts. `act` returns the answer; undefined where it failed. */
export function useAct() {
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)
  async function act<T>({ run, done, failed, words }: Act<T>): Promise<T | undefined> {
    noteFocus()
    setPending(true)
    try {
      const result = await run()
      const said = done?.(result)
      if (said) showToast({ tone: 'good', ...said })
      return result
    } catch (error) {
      showToast({ tone: 'bad', title: failed, text: words ? failureWordsOr(error, words) : failureWords(error) })
      return undefined
    } finally {
      setPending(false)
    }
  }
  return { act, isPending }
}
