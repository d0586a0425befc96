import { useState } from 'react'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useFocusBack } from '../ui/useFocusBack.tsx'

interface Act<T> {
  run: () => Promise<T>
  /** What is said when it is done; nothing where the screen shows it by itself. */
  done?: (result: T) => { title: string; text: string }
  /** Title of the toast where it failed; its text is the server's. */
  failed: string
}

/** Runs acts with their toasts. `act` returns the answer; undefined where it failed. */
export function useAct() {
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)
  async function act<T>({ run, done, failed }: Act<T>): Promise<T | undefined> {
    noteFocus()
    setPending(true)
    try {
      const result = await run()
      if (done) showToast({ tone: 'good', ...done(result) })
      return result
    } catch (error) {
      showToast({ tone: 'bad', title: failed, text: failureWords(error) })
      return undefined
    } finally {
      setPending(false)
    }
  }
  return { act, isPending }
}
