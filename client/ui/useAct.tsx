import { useState } from 'react'
import { failureWords } from './failure.ts'
import { showToast } from './toast.ts'
import { useFocusBack } from './useFocusBack.tsx'

interface Act<T> {
  run: () => Promise<T>
  /** What is said when it is done; nothing where the screen shows it by itself. */
  done?: (result: T) => { title: string; text: string } | undefined
  /** Title of the toast where it failed; its text says why. */
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
      const said = done?.(result)
      if (said) showToast({ tone: 'good', ...said })
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
