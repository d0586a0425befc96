import { type ReactNode, useState } from 'react'
import { isRefused } from '../net/api.ts'
import { useAct as useActNow } from '../ui/useAct.tsx'
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
  const { act: runNow, isPending } = useActNow()
  const [asking, setAsking] = useState<{ again: () => void; cancel: () => void }>()

  async function act({ run, done, failed }: Act): Promise<boolean> {
    const said = (isDone: boolean) => (isDone ? done : undefined)
    return (await runNow({ run: () => confirmed(run), done: said, failed })) === true
  }

  /** Runs it, once more after a confirmation where it needs one; false where that is not given. */
  async function confirmed(run: Act['run']): Promise<boolean> {
    try {
      await run()
      return true
    } catch (error) {
      if (!isRefused(error, 'step_up_required')) throw error
      return await new Promise<boolean>((resolve, reject) =>
        setAsking({ again: () => void confirmed(run).then(resolve, reject), cancel: () => resolve(false) }),
      )
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
