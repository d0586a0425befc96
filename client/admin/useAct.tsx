import { type ReactNode, useState } from 'react'
import { isRefused } from '../net/api.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useFocusBack } from '../ui/useFocusBack.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'

/** What an administrator does, and the words for how it ended. */
export interface Act {
  run: () => Promise<unknown>
  done: { title: string; text: string }
  /** Title of the toast where it failed; its text is the server's. */
  failed: string
}

/**
 * Runs acts one at a time, with their toasts. One that needs a confirmation asks for it, and goes on. `dialog` is to be shown.
 */
export function useAct(): { act: (act: Act) => Promise<boolean>; isPending: boolean; dialog: ReactNode } {
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)
  const [asking, setAsking] = useState<{ again: () => void; cancel: () => void }>()

  async function act(wanted: Act): Promise<boolean> {
    noteFocus()
    setPending(true)
    try {
      await wanted.run()
      showToast({ tone: 'good', ...wanted.done })
      return true
    } catch (error) {
      if (isRefused(error, 'step_up_required'))
        return await new Promise<boolean>((resolve) =>
          setAsking({ again: () => void act(wanted).then(resolve), cancel: () => resolve(false) }),
        )
      showToast({ tone: 'bad', title: wanted.failed, text: failureWords(error) })
      return false
    } finally {
      setPending(false)
    }
  }

  const dialog = asking && (
    <ConfirmDialog
      onConfirmed={() => {
        setAsking(undefined)
        asking.again()
      }}
      onClose={() => {
        setAsking(undefined)
        asking.cancel()
      }}
    />
  )
  return { act, isPending, dialog }
}
