import { useState } from 'react'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'

/** Runs what the person has confirmed. A failure is told under this title, and the question stays. */
export function useAct(failed: string, work: () => Promise<void>) {
  const [isPending, setPending] = useState(false)
  async function act() {
    setPending(true)
    try {
      await work()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: failed, text: failureWords(error) })
    }
  }
  return { isPending, onConfirm: act }
}
