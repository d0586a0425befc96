import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useOver } from './useOver.tsx'

interface Props {
  title: string
  text: string
  /** Text of the confirming button. */
  action: string
  pendingAction: string
  isPending: boolean
  /** True if it can be taken back: the confirming button is not red then. */
  isHarmless?: boolean
  /** Another decision, above the first. */
  other?: { action: string; onConfirm: () => void }
  onConfirm: () => void
  onCancel: () => void
  children?: ReactNode
}

/** A dialog for a decision, most often an irreversible one. A click outside does not close it, and Cancel has the focus. */
export function AlertDialog(props: Props) {
  const { title, text, action, pendingAction, isPending, isHarmless = false, other, onConfirm, onCancel, children } = props
  const giveBack = useOver(onCancel)

  function giveFocusBack(event: Event) {
    event.preventDefault()
    giveBack()
  }

  const cancel = <Radix.Cancel className="btn outline">Cancel</Radix.Cancel>
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
          <footer className={other ? 'pile' : ''}>
            {!other && cancel}
            {other && (
              <button type="button" className="btn outline danger-words" disabled={isPending} onClick={other.onConfirm}>
                {other.action}
              </button>
            )}
            <button type="button" className={isHarmless ? 'btn primary' : 'btn danger'} disabled={isPending} onClick={onConfirm}>
              {isPending ? pendingAction : action}
            </button>
            {other && cancel}
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
