interface Props {
  action: string
  /** Text of the action while it runs. */
  pendingAction: string
  isPending: boolean
  /** True while the action cannot be taken, for a reason that its text or the form says. */
  isOff?: boolean
  isDangerous?: boolean
  onClose: () => void
}

/** The buttons of a form in a dialog that stays open until the action has ended. */
export function FormFooter({ action, pendingAction, isPending, isOff = false, isDangerous = false, onClose }: Props) {
  return (
    <footer>
      <button type="button" className="btn outline" disabled={isPending} onClick={onClose}>
        Cancel
      </button>
      <button type="submit" className={isDangerous ? 'btn danger' : 'btn primary'} disabled={isPending || isOff}>
        {isPending ? pendingAction : action}
      </button>
    </footer>
  )
}
