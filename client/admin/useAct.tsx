import type { ReactNode } from 'react'
import { useConfirmed } from '../me/security/useConfirmed.tsx'
import { useAct as useActNow } from '../ui/useAct.tsx'

/** What an administrator does, and the words for how it ended. */
export interface Act {
  run: () => Promise<unknown>
  done: { title: string; text: string }
  /** Title of the toast where it failed; its text is the server's. */
  failed: string
}

const WHY = 'Rights, blocks, plans, prices and refunds ask for this first.'

/**
 * Runs acts one at a time, with their toasts. One that needs a confirmation asks for it, and goes on. `dialog` is to be shown.
 */
export function useAct(): { act: (act: Act) => Promise<boolean>; isPending: boolean; dialog: ReactNode } {
  const { act: runNow, isPending } = useActNow()
  const { confirmed, dialog } = useConfirmed(WHY)

  async function act({ run, done, failed }: Act): Promise<boolean> {
    const said = (isDone: boolean) => (isDone ? done : undefined)
    return (await runNow({ run: () => confirmed(run), done: said, failed })) === true
  }

  return { act, isPending, dialog }
}
