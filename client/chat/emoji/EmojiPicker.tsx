import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Beside } from '../../ui/Beside.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import type { Point } from '../../ui/Menu.tsx'
import { NARROW, useMedia } from '../../ui/useMedia.tsx'
import type { UsedEmojis } from '../../worker/crypto.ts'
import './emoji.css'
import { EMOJIS, type Emoji, type EmojiGroup, emojiOf, findEmojis } from './emojis.ts'

interface Props {
  title: string
  /** The corner that it opens from, px of the window. */
  at: Point
  onPick: (emoji: string) => void
  onClose: () => void
}

/** All emojis: beside what opened it, or a sheet where the window is narrow. */
export function EmojiPicker({ title, at, onPick, onClose }: Props) {
  const isNarrow = useMedia(NARROW)
  const choice = <Choice onPick={onPick} onClose={onClose} />
  if (isNarrow)
    return (
      <Dialog title={title} onClose={onClose}>
        {choice}
      </Dialog>
    )
  // Within a form Enter would send it.
  return createPortal(
    <Beside
      label={title}
      className="emoji-picker"
      place={({ width, height }) => ({ left: at.x - width, top: at.y - height })}
      onClose={onClose}
    >
      {choice}
    </Beside>,
    document.body,
  )
}

const COLUMNS = 8
const FOUND_MAX = 64
const NONE: UsedEmojis = { used: [], tone: 0 }

function Choice({ onPick, onClose }: Pick<Props, 'onPick' | 'onClose'>) {
  const env = useEnv()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [kept, setKept] = useState(NONE)
  // What is taken now stands first the next time: nothing moves under the pointer.
  const [last, setLast] = useState(NONE.used)
  const [marked, setMarked] = useState(0)
  useEffect(() => {
    let isShown = true
    env.crypto.readEmojis().then(
      (now) => {
        if (!isShown) return
        setKept(now)
        setLast(now.used)
      },
      // An unreadable row must not keep anybody from choosing.
      () => undefined,
    )
    field.current?.focus({ preventScroll: true })
    return () => {
      isShown = false
    }
  }, [env])

  const groups = useMemo(() => shownGroups(query, last), [query, last])
  const shown = useMemo(() => groups.flatMap(({ emojis }) => emojis), [groups])
  const textOf = ({ text, tones }: Emoji) => tones[kept.tone - 1] ?? text
  const current = shown[marked]

  async function pick(emoji: Emoji, isLast: boolean) {
    const text = textOf(emoji)
    onPick(text)
    if (isLast) onClose()
    await keep({ ...kept, used: [text, ...kept.used.filter((one) => one !== text)] })
  }
  async function keep(next: UsedEmojis) {
    setKept(next)
    // A full disk forgets what was used.
    await env.crypto.keepEmojis(next).catch(() => undefined)
  }
  function mark(index: number) {
    if (index < 0 || index >= shown.length) return
    setMarked(index)
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }
  function press(event: KeyboardEvent<HTMLInputElement>) {
    const { key, shiftKey, nativeEvent } = event
    if (nativeEvent.isComposing) return
    const steps: Record<string, number> = { ArrowDown: COLUMNS, ArrowUp: -COLUMNS }
    // Within a query these move the caret.
    if (query === '') Object.assign(steps, { ArrowRight: 1, ArrowLeft: -1 })
    if (key in steps) mark(marked + (steps[key] ?? 0))
    else if (key === 'Enter') current && void pick(current, !shiftKey)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  let index = -1
  return (
    <>
      <div className="input">
        <Search className="i i-16" aria-hidden />
        <input
          ref={field}
          data-first
          type="search"
          role="combobox"
          aria-label="Search emoji"
          placeholder="Search emoji"
          dir="auto"
          autoComplete="off"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current ? `${id}-${marked}` : undefined}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setMarked(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div className="emojis" role="listbox" id={`${id}-list`} aria-label="Emoji">
        {groups.map(({ title, emojis }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden>{title}</p>
            {emojis.map((emoji) => {
              index += 1
              const place = index
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
                <span
                  key={emoji.text}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === marked}
                  aria-label={emoji.name}
                  onPointerEnter={() => setMarked(place)}
                  onClick={(event) => void pick(emoji, !event.shiftKey)}
                >
                  {textOf(emoji)}
                </span>
              )
            })}
          </div>
        ))}
        {shown.length === 0 && <p role="status">No emoji is called that</p>}
      </div>
      <div className="emoji-foot">
        <span aria-hidden>{current ? textOf(current) : ''}</span>
        <span className="cut">
          {current?.name}
          <code>{current && `:${current.code}:`}</code>
        </span>
        <select
          aria-label="Skin tone"
          value={kept.tone}
          onChange={(event) => void keep({ ...kept, tone: Number(event.target.value) })}
        >
          {HANDS.map((hand, tone) => (
            <option key={hand.name} value={tone} aria-label={hand.name}>
              {hand.text}
            </option>
          ))}
        </select>
      </div>
    </>
  )
}

const HANDS = ['No tone', 'Light', 'Medium-light', 'Medium', 'Medium-dark', 'Dark'].map((name, tone) => ({
  name,
  text: (tone === 0 ? undefined : emojiOf('✋')?.tones[tone - 1]) ?? '✋',
}))

function shownGroups(query: string, used: string[]): EmojiGroup[] {
  if (query.trim() !== '') return [{ title: 'Found', emojis: findEmojis(query, FOUND_MAX) }]
  const last = [...new Set(used.map(emojiOf))].filter((emoji) => emoji !== undefined)
  return last.length > 0 ? [{ title: 'Last used', emojis: last }, ...EMOJIS] : EMOJIS
}
