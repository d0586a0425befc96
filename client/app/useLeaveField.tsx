import { type RefObject, useEffect } from 'react'

/** Escape in a field of the settings leaves the field first, for the title of its page. */
export function useLeaveField(root: RefObject<HTMLElement | null>, title: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = root
    const press = (event: KeyboardEvent) => {
      const { key, target, isComposing, defaultPrevented } = event
      if (key !== 'Escape' || isComposing || defaultPrevented || !(target instanceof Element)) return
      if (!target.matches('input:not([type=checkbox], [type=radio]), select, textarea')) return
      event.preventDefault()
      title.current?.focus()
    }
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  }, [root, title])
}
