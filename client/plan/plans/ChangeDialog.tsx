import type { Consent, Terms } from '../../../contract/money/terms.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { shownDay, shownPrice } from './planLines.ts'
import { useConsent } from './useConsent.tsx'

interface Props {
  name: string
  /** What is charged at once, in US cents. */
  dueNowCents: number
  periodEnd: string | null
  terms: Terms | undefined
  isPending: boolean
  onChange: (consent: Consent | undefined) => void
  onClose: () => void
}

/** Says what a change of a running plan costs before it is made. */
export function ChangeDialog({ name, dueNowCents, periodEnd, terms, isPending, onChange, onClose }: Props) {
  const { consent, isMissing, boxes } = useConsent(terms)
  const isNow = dueNowCents > 0
  const text = isNow
    ? `${shownPrice(dueNowCents)} are charged now: the new price for the rest of the period, less what you have paid.`
    : `Nothing is charged now.${periodEnd ? ` ${name} is billed from ${shownDay(periodEnd)} on, and what you have paid stays until then.` : ''}`
  return (
    <Dialog title={`Change to ${name}`} text={text} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing && !isPending) onChange(consent)
        }}
      >
        {boxes}
        <FormFooter
          action={isNow ? `Pay ${shownPrice(dueNowCents)}` : 'Change'}
          pendingAction="Processing..."
          isPending={isPending}
          isOff={isMissing}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
