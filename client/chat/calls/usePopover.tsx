import { type RefObject, useEffect, useRef } from 'react'
import { addStep } from '../../ui/steps.ts'
import { useLatest } from '../../ui/useLatest.tsx'

/**
 * What opens above a button of the call: a press outside closes it, and its end gives the focus back to the button. Without `onClose`
 * something lies over it.
 */
export function usePopover(opener: string, onClose: (() => void) | undefined): RefObject<HTMLElement | null> {
  const sheet = useRef<HTMLElement>(null)
  const latest = useLatest(onClose)
  useEffect(() => {
    const view = sheet.current?.closest('.call')
    const button = () => view?.querySelector<HTMLElement>(`[data-opens="${opener}"]`)
    const press = ({ target }: Event) => {
      if (!(target instanceof Element) || sheet.current?.contains(target) || target.closest(`[data-opens="${opener}"]`)) return
      latest.current?.()
    }
    const dropStep = addStep('over', () => latest.current?.())
    document.addEventListener('pointerdown', press)
    return () => {
      dropStep()
      document.removeEventListener('pointerdown', press)
      // What had the focus has gone with the sheet, and the view took it.
      if (document.activeElement === document.body || document.activeElement === view) button()?.focus()
    }
  }, [opener, latest])
  return sheet
}
