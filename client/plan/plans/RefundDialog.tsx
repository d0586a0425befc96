import { Dialog } from '../../ui/Dialog.tsx'
import { shownPrice } from './planLines.ts'

interface Props {
  cents: number
  onRefund: () => void
  onClose: () => void
}

/** Asks before the guarantee is used, which works once. */
export function RefundDialog({ cents, onRefund, onClose }: Props) {
  return (
    <Dialog
      title="Refund"
      text={`${shownPrice(cents)} go back to your card, and your plan ends now. Messages stay readable. The 30-day guarantee works once, for an account and for a card.`}
      onClose={onClose}
    >
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Keep my plan
        </button>
        <button type="button" className="btn danger" onClick={onRefund}>
          Refund {shownPrice(cents)}
        </button>
      </footer>
    </Dialog>
  )
}
