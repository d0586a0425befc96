import { type ReactNode, useState } from 'react'
import { isRefused } from '../../net/api.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'

/**
 * Runs what the server may answer with `step_up_required`, once more after a confirmation; false where that is not given. `dialog` is
 * to be shown, and asks with these words.
 */
export function useConfirmed(text: string): { confirmed: (run: () => Promise<unknown>) => Promise<boolean>; dialog: ReactNode } {
  const [asking, setAsking] = useState<{ again: () => void; cancel: () => void }>()

  async function confirmed(run: () => Promise<unknown>): Promise<boolean> {
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
      text={text}
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
  return { confirmed, dialog }
}
