import { useEffect } from 'react'
import { useLatest } from '../ui/useLatest.tsx'
import { composer } from '../ui/writeOn.ts'
import { isWritten, type KeyVerb, type Place, verbOf } from './keys.ts'

const OVER = '[role="dialog"], [role="alertdialog"], [role="menu"], .att-hold'

/**
 * Calls the verbs of the messenger's keys, and takes letters that are pressed on nothing to the composer. What lies over the page, such as
 * a dialog, and a microphone that is held keep their keys to themselves.
 */
export function useKeys(verbs: Record<KeyVerb, () => void>): void {
  const latest = useLatest(verbs)
  useEffect(() => {
    let isOver = false
    const act = (event: KeyboardEvent, verb: KeyVerb) => {
      event.preventDefault()
      latest.current[verb]()
    }
    // Before anything else hears of the key: a dialog that it closes must still be seen here.
    const press = (event: KeyboardEvent) => {
      isOver = event.defaultPrevented || document.querySelector(OVER) !== null
      const verb = isOver ? undefined : verbOf(event, placeOf(event.target))
      if (verb && verb !== 'back') act(event, verb)
    }
    // After whatever has the focus, which may have a step of its own.
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isOver) return
      const place = placeOf(event.target)
      if (verbOf(event, place) === 'back') act(event, 'back')
      // The browser writes the letter where the focus is then.
      else if (isWritten(event, place)) composer()?.focus({ preventScroll: true })
    }
    addEventListener('keydown', press, true)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('keydown', press, true)
      removeEventListener('keydown', pressed)
    }
  }, [latest])
}

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return 'elsewhere'
  // A switch or a radio button takes no words.
  if (target.closest('input:not([type=checkbox], [type=radio]), select')) return 'field'
  if (target.closest('textarea, [contenteditable="true"]')) return 'text'
  return target.closest('search, .finder, .details') ? 'own' : 'elsewhere'
}
