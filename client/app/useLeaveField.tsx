import { type RefObject, useEffect } from 'react'
import { useLatest } from '../ui/useLatest.tsx'

/** Escape in a field of the settings leaves the field first, for the title of its page; in a switch it leaves the settings. */
export function useLeaveField(
  root: RefObject<HTMLElement | null>,
  title: RefObject<HTMLElement | null>,
  onBack: () => void,
): void {
  const latest = useLatest(onBack)
  useEffect(() => {
    const { current } = root
    const press = ({ key, target, isComposing, defaultPrevented }: KeyboardEvent) => {
      if (key !== 'Escape' || isComposing || defaultPrevented || !(target instanceof Element)) return
      if (target.matches('[type=checkbox], [type=radio]')) latest.current()
      else if (target.matches('input, select')) title.current?.focus()
    }
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  }, [root, title, latest])
}
