import { useEffect } from 'react'
import { useLatest } from '../ui/useLatest.tsx'
import { type KeyVerb, type Place, verbOf } from './keys.ts'

const OVER = '[role="dialog"], [role="alertdialog"], [role="menu"], .att-hold'

/** Calls the verbs of the messenger's keys. What lies over the page, such as a dialog, and a microphone that is held keep their keys to themselves. */
export function useKeys(verbs: Record<KeyVerb, () => void>): void {
  const latest = useLatest(verbs)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector(OVER)) return
      const verb = verbOf(event, placeOf(event.target))
      if (!verb) return
      event.preventDefault()
      latest.current[verb]()
    }
    // Before anything else hears of the key: a dialog that it closes must still be seen here.
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [latest])
}

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return 'elsewhere'
  if (target.closest('input, select')) return 'field'
  if (target.closest('textarea, [contenteditable="true"]')) return 'text'
  return target.closest('search, .finder, .details') ? 'own' : 'elsewhere'
}
