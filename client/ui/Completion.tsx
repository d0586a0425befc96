import { type ReactNode, type RefObject, useEffect, useId, useState } from 'react'
import './completion.css'
import { useLatest } from './useLatest.tsx'

/** What is begun before the caret, in UTF-16 units. */
export interface Begun {
  from: number
  to: number
  query: string
}

interface Props<T> {
  /** Names the list. */
  label: string
  field: RefObject<HTMLTextAreaElement | null>
  begunAt: (text: string, caret: number) => Begun | undefined
  /** Keep it stable: a new one asks again. */
  find: (query: string) => Promise<T[]>
  keyOf: (item: T) => string
  /** A sign and words. */
  draw: (item: T) => ReactNode
  /** Writes at once: what is typed next comes behind it. */
  onTake: (item: T, begun: Begun) => void
}

/** Offers what completes the word before the caret. The field keeps the focus. */
export function Completion<T>({ label, field, begunAt, find, keyOf, draw, onTake }: Props<T>) {
  const id = useId()
  const [begun, setBegun] = useState<Begun>()
  const [found, setFound] = useState<T[]>([])
  const [at, setAt] = useState(0)
  const [refused, setRefused] = useState<number>()
  const { query } = begun ?? {}
  const isOpen = begun !== undefined && found.length > 0 && begun.from !== refused

  useEffect(() => {
    setAt(0)
    if (query === undefined) return setFound([])
    let isAsked = true
    find(query).then(
      (items) => isAsked && setFound(items),
      // Without a line the words go on without it.
      () => undefined,
    )
    return () => {
      isAsked = false
    }
  }, [find, query])

  function take(item: T | undefined) {
    if (!item || !begun) return
    onTake(item, begun)
    setBegun(undefined)
  }

  const latest = useLatest({
    look() {
      const { current } = field
      const isCaret = current !== null && current.selectionStart === current.selectionEnd
      const now = isCaret ? begunAt(current.value, current.selectionStart) : undefined
      setBegun(now)
      if (!now) setRefused(undefined)
    },
    press(event: KeyboardEvent) {
      const { key, keyCode, shiftKey, ctrlKey, altKey, metaKey, isComposing } = event
      // Safari sends the Enter that ends a composition with code 229.
      if (!isOpen || shiftKey || ctrlKey || altKey || metaKey || isComposing || keyCode === 229) return
      const isArrow = key === 'ArrowDown' || key === 'ArrowUp'
      // With one there is nothing to choose from, and the caret moves on.
      if (isArrow && found.length === 1) return
      if (isArrow) setAt((at + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length)
      else if (key === 'Enter' || key === 'Tab') take(found[at])
      else if (key === 'Escape') setRefused(begun.from)
      else return
      // The composer would send, the page would go back.
      event.preventDefault()
      event.stopPropagation()
    },
  })
  useEffect(() => {
    const { current } = field
    if (!current) return
    const page = new AbortController()
    const look = () => latest.current.look()
    current.addEventListener('input', look, page)
    current.addEventListener('keydown', (event) => latest.current.press(event), { ...page, capture: true })
    current.addEventListener('blur', () => setBegun(undefined), page)
    document.addEventListener('selectionchange', look, page)
    return () => page.abort()
  }, [field, latest])

  const chosen = isOpen ? `${id}-${at}` : undefined
  useEffect(() => {
    const { current } = field
    if (!current || chosen === undefined) return
    current.setAttribute('aria-autocomplete', 'list')
    current.setAttribute('aria-controls', `${id}-list`)
    current.setAttribute('aria-activedescendant', chosen)
    return () => {
      for (const name of ['aria-autocomplete', 'aria-controls', 'aria-activedescendant']) current.removeAttribute(name)
    }
  }, [field, id, chosen])

  if (!isOpen) return null
  return (
    <div className="completion" role="listbox" id={`${id}-list`} aria-label={label}>
      {found.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <div
          key={keyOf(item)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onPointerEnter={() => setAt(index)}
          onClick={() => take(item)}
        >
          {draw(item)}
          {index === at && <kbd aria-hidden>Tab</kbd>}
        </div>
      ))}
    </div>
  )
}

/** Writes at the place, or where the caret stands. Returns the text. */
export function writeInto(field: HTMLTextAreaElement, words: string, place?: Omit<Begun, 'query'>): string {
  const { from, to } = place ?? { from: field.selectionStart, to: field.selectionEnd }
  field.setRangeText(words, from, to, 'end')
  return field.value
}

/** Finds what a pattern's first group finds right before the caret, its second being the query; undefined within a word or in code. */
export function begunBefore(text: string, caret: number, pattern: RegExp, longest: number): Begun | undefined {
  const before = text.slice(0, caret)
  const [, whole = '', query = ''] = pattern.exec(before.slice(-longest)) ?? []
  // Each backtick opens code or ends it.
  if (whole === '' || (before.split('`').length - 1) % 2 === 1 || /^[\w]/.test(text.slice(caret))) return undefined
  return { from: caret - whole.length, to: caret, query }
}
