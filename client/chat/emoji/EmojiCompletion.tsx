import { type RefObject, useEffect, useId, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import type { UsedEmojis } from '../../worker/crypto.ts'
import { type BegunCode, codeBefore } from './completion.ts'
import type { Emoji } from './emojis.ts'

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  onWrite: (emoji: string, begun: BegunCode) => void
}

const SHOWN = 3
const NONE: UsedEmojis = { used: [], tone: 0 }

/** Offers the emojis whose code begins as what is typed behind a colon. The field keeps the focus. */
export function EmojiCompletion({ field, onWrite }: Props) {
  const env = useEnv()
  const id = useId()
  const [begun, setBegun] = useState<BegunCode>()
  const [found, setFound] = useState<Emoji[]>([])
  const [kept, setKept] = useState(NONE)
  const [at, setAt] = useState(0)
  const [refused, setRefused] = useState<number>()
  const { query } = begun ?? {}
  const isOpen = begun !== undefined && found.length > 0 && begun.from !== refused

  useEffect(() => {
    setAt(0)
    if (query === undefined) return setFound([])
    let isAsked = true
    const used = env.crypto.readEmojis().catch(() => NONE)
    Promise.all([import('./emojis.ts'), used]).then(
      ([{ findEmojis }, now]) => {
        if (!isAsked) return
        setKept(now)
        setFound(findEmojis(query, SHOWN))
      },
      // Without a line the words go on without it.
      () => undefined,
    )
    return () => {
      isAsked = false
    }
  }, [env, query])

  /** Writes at once: what is typed next comes behind the emoji. */
  function take(emoji: Emoji | undefined) {
    if (!emoji || !begun) return
    const text = emoji.tones[kept.tone - 1] ?? emoji.text
    onWrite(text, begun)
    setBegun(undefined)
    const used = [text, ...kept.used.filter((one) => one !== text)]
    // A full disk forgets what was used.
    env.crypto.keepEmojis({ ...kept, used }).catch(() => undefined)
  }

  const latest = useLatest({
    look() {
      const { current } = field
      const isCaret = current !== null && current.selectionStart === current.selectionEnd
      const now = isCaret ? codeBefore(current.value, current.selectionStart) : undefined
      setBegun(now)
      if (!now) setRefused(undefined)
    },
    press(event: KeyboardEvent) {
      const { key, shiftKey, ctrlKey, altKey, metaKey, isComposing } = event
      if (!isOpen || shiftKey || ctrlKey || altKey || metaKey || isComposing) return
      if (key === 'ArrowDown' || key === 'ArrowUp') setAt((at + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length)
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
    <div className="completion" role="listbox" id={`${id}-list`} aria-label="Emoji">
      {found.map((emoji, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <div
          key={emoji.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onPointerEnter={() => setAt(index)}
          onClick={() => take(emoji)}
        >
          <span aria-hidden>{emoji.text}</span>
          <span className="cut">{emoji.code}</span>
          {index === at && <kbd aria-hidden>Tab</kbd>}
        </div>
      ))}
    </div>
  )
}
