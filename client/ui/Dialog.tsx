import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { noteFocus } from './opener.ts'

interface Props {
  title: string
  text?: string
  onClose: () => void
  /** What takes the focus after the dialog; null or nothing: what had it before. */
  nextFocus?: (() => HTMLElement | null) | undefined
  children: ReactNode
}

/** A dialog that is open while it is rendered. On a phone it is a bottom sheet. */
export function Dialog({ title, text, onClose, nextFocus, children }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const closing = useRef<HTMLButtonElement>(null)
  const hasPlaced = useRef(false)
  const [giveBack] = useState(noteFocus)

  const firstField = () =>
    content.current?.querySelector<HTMLElement>('[data-first]') ??
    content.current?.querySelector<HTMLElement>('input:checked, input:not([type="radio"]), footer button')

  function focusFirst(event: Event) {
    const first = firstField()
    if (!first) return
    event.preventDefault()
    hasPlaced.current = true
    first.focus()
  }

  // Fields that were loaded meanwhile: Enter on Close would lose what is typed.
  useEffect(() => {
    if (hasPlaced.current || document.activeElement !== closing.current) return
    const first = firstField()
    hasPlaced.current = first != null
    first?.focus()
  })

  // Escape closes the dialog even if a toast is above it. Radix would close the toast alone.
  function press(event: KeyboardEvent) {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) onClose()
  }

  function giveFocusBack(event: Event) {
    event.preventDefault()
    const next = nextFocus?.()
    if (next) next.focus({ preventScroll: true })
    else giveBack()
  }

  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          ref={content}
          className="dialog"
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={giveFocusBack}
          onKeyDown={press}
          {...(text ? {} : { 'aria-describedby': undefined })}
        >
          <header>
            <div>
              <Radix.Title>{title}</Radix.Title>
              {text && <Radix.Description>{text}</Radix.Description>}
            </div>
            <Radix.Close ref={closing} className="icon-btn" aria-label="Close">
              <X className="i" aria-hidden />
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
