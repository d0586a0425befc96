import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { takeEarly } from '../ui/Early.tsx'
import { useOver } from '../ui/useOver.tsx'
import { foundEntries } from './entries.ts'
import './palette.css'
import { type Entry, useEntries, type Ways } from './useEntries.tsx'

/** Leads to a chat, a setting or an action by a few letters. */
export function Palette({ onClose, ...ways }: Ways & { onClose: () => void }) {
  const entries = useEntries(ways)
  const [early] = useState(takeEarly)
  const [typed, setTyped] = useState(early?.typed ?? '')
  const [at, setAt] = useState(0)
  const found = useMemo(() => foundEntries(entries, typed), [entries, typed])
  const chosen = found[Math.min(at, found.length - 1)]
  const giveBack = useOver(onClose, 'over', early?.opener)
  const field = useRef<HTMLInputElement>(null)
  const after = useRef<() => void>(undefined)
  const id = useId()

  function choose(entry: Entry | undefined) {
    if (!entry) return
    after.current = entry.run
    onClose()
  }

  /** The first keys may have come before this code: keep them, and act if Enter was among them. */
  function begin(event: Event) {
    event.preventDefault()
    field.current?.focus()
    field.current?.setSelectionRange(typed.length, typed.length)
    if (early?.isEntered) choose(chosen)
  }

  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      choose(chosen)
    }
  }

  // What is chosen finds the focus where it was before, and takes it from there.
  function close(event: Event) {
    event.preventDefault()
    giveBack()
    after.current?.()
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          className="palette"
          aria-describedby={undefined}
          onOpenAutoFocus={begin}
          onCloseAutoFocus={close}
          onKeyDown={press}
        >
          <Dialog.Title className="sr">Go to</Dialog.Title>
          <label className="palette-field">
            <Search className="i" aria-hidden />
            <span className="sr">Chats, settings and actions</span>
            <input
              ref={field}
              role="combobox"
              dir="auto"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={chosen && `${id}-${chosen.id}`}
              placeholder="Go to a chat, a setting, an action"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setAt(0)
              }}
            />
          </label>
          <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Found">
            {found.map((entry, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
              <div
                key={entry.id}
                id={`${id}-${entry.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={entry === chosen}
                ref={entry === chosen ? show : undefined}
                onClick={() => choose(entry)}
                onPointerMove={() => setAt(index)}
              >
                <entry.icon className="i i-16" aria-hidden />
                <span className="cut" dir="auto">
                  {entry.words}
                </span>
                {entry.hint && <span className="hint cut">{entry.hint}</span>}
              </div>
            ))}
          </div>
          <p className={found.length === 0 ? 'palette-none' : 'sr'} role="status">
            {found.length === 0 ? 'Nothing found' : `${found.length} found`}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const show = (chosen: HTMLElement | null) => chosen?.scrollIntoView({ block: 'nearest' })
