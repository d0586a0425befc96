import type { BillingPeriod } from '../../../contract/money/payments.ts'
import type { Consent, Terms } from '../../../contract/money/terms.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
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
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing && !isPending) onBuy(consent)
        }}
      >
        {boxes}
        <FormFooter
          action={TERMS_WORDS.begin}
          pendingAction="Processing..."
          isPending={isPending}
          isOff={isMissing}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
