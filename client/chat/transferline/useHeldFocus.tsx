import { useEffect, useRef } from 'react'

/** Keeps the focus in the dialog around the returned footer when files or sending take away the button that had it. */
export function useHeldFocus(files: readonly File[], isSending: boolean) {
  const footer = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: these take buttons away
  useEffect(() => {
    const { activeElement } = document
    const dialog = footer.current?.closest('[role="dialog"]')
    if (activeElement !== document.body && activeElement !== dialog) return
    dialog?.querySelector<HTMLElement>('[data-first]:not(:disabled)')?.focus()
  }, [files, isSending])
  return footer
}
