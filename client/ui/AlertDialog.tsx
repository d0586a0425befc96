import { AlertDialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'

interface Props {
  title: string
  text: string
  /** Text of the confirming button. */
  action: string
  pendingAction: string
  isPending: boolean
  onConfirm: () => void
  onCancel: () => void
  children?: ReactNode
}

/** A dialog for an irreversible decision. A click outside does not close it, and Cancel has the focus. */
export function AlertDialog({ title, text, action, pendingAction, isPending, onConfirm, onCancel, children }: Props) {
  const opener = useRef(document.activeElement)

  function giveFocusBack(event: Event) {
    event.preventDefault()
    if (opener.current instanceof HTMLElement) opener.current.focus()
  }

  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onCancel()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content className="dialog" onCloseAutoFocus={giveFocusBack}>
          <header>
            <div>
              <Radix.Title>{title}</Radix.Title>
              <Radix.Description>{text}</Radix.Description>
            </div>
          </header>
          {children}
          <footer>
            <Radix.Cancel className="btn outline">Cancel</Radix.Cancel>
            <button type="button" className="btn danger" disabled={isPending} onClick={onConfirm}>
              {isPending ? pendingAction : action}
            </button>
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
