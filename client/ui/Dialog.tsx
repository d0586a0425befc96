import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { useOver } from './useOver.tsx'
import { takesFocus } from './writeOn.ts'

const FIRST = '[data-first]'
const FIELDS = 'input:checked, input:not([type="radio"], [hidden]), textarea, select, footer button'

interface Props {
  title: string
  text?: string
  onClose: () => void
  /** What takes the focus after the dialog; null or nothing: by the rule of all that closes. */
  nextFocus?: (() => HTMLElement | null) | undefined
  children: ReactNode
}

/** A dialog that is open while it is rendered. On a phone it is a bottom sheet. */
export function Dialog({ title, text, onClose, nextFocus, children }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const closing = useRef<HTMLButtonElement>(null)
  const hasPlaced = useRef(false)
  const giveBack = useOver(onClose)

  const firstField = () =>
    [FIRST, FIELDS].flatMap((query) => [...(content.current?.querySelectorAll(query) ?? [])]).find(takesFocus)

  function place() {
    const first = firstField()
    first?.focus()
    hasPlaced.current ||= first !== undefined
  }

  function focusFirst(event: Event) {
    place()
    if (hasPlaced.current) event.preventDefault()
    if (!content.current) return
    // A field that is loaded later takes the place of Close, where Enter would lose what is typed, and of what has gone.
    new MutationObserver(() => {
      const { activeElement: now } = document
      if (now === content.current || now === document.body || (now === closing.current && !hasPlaced.current)) place()
    }).observe(content.current, { childList: true, subtree: true })
  }

  // Escape closes the dialog even if a toast is above it. Radix would close the toast alone. React brings keys of nested ones.
  function press({ key, target, currentTarget, nativeEvent }: KeyboardEvent) {
    if (key === 'Escape' && !nativeEvent.isComposing && target instanceof Node && currentTarget.contains(target)) onClose()
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
