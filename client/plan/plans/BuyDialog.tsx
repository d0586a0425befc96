import type { BillingPeriod } from '../../../contract/money/payments.ts'
import type { Consent, Terms } from '../../../contract/money/terms.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { shownPrice } from './planLines.ts'
import { buyText, buyTitle, TERMS_WORDS } from './termsWords.ts'
import { useConsent } from './useConsent.tsx'

interface Props {
  name: string
  cents: number
  period: BillingPeriod
  terms: Terms
  isPending: boolean
  onBuy: (consent: Consent | undefined) => void
  onClose: () => void
}

/** Stands before the checkout where the operator has terms. */
export function BuyDialog({ name, cents, period, terms, isPending, onBuy, onClose }: Props) {
  const { consent, isMissing, boxes } = useConsent(terms)
  return (
    <Dialog title={buyTitle(name)} text={buyText(shownPrice(cents), period)} onClose={onClose}>
      {boxes}
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn primary" disabled={isMissing || isPending} onClick={() => onBuy(consent)}>
          {isPending ? 'Processing...' : TERMS_WORDS.begin}
        </button>
      </footer>
    </Dialog>
  )
}
