import { Check, CircleAlert, CreditCard, Info, Landmark } from 'lucide-react'
import { useState } from 'react'
import type { Subscription, Usage } from '../../../contract/money/payments.ts'
import { PLANS, type Tier } from '../../../contract/money/plans.ts'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import { downgradeWords, endWords } from './endWords.ts'
import { BENEFITS_LIMIT, currentLinesOf, shownDay, shownMoment, shownPrice } from './planLines.ts'
import { changePlan, isPaidPlan, keepPlan, leaveFor, portalUrl, refundPlan, soldTier } from './plans.ts'
import { RefundDialog } from './RefundDialog.tsx'
import { UsageCard } from './UsageCard.tsx'
import { useAct } from './usePlans.tsx'
import './current.css'

type OwnCard = NonNullable<Subscription['card']>

interface Props {
  tier: Tier
  subscription: Subscription | null
  usage: Usage | null
}

/** The plan of the own account: what it allows, until when, what is used of it, and how it ends. */
export function CurrentPlan({ tier, subscription, usage }: Props) {
  const env = useEnv()
  const { pending, act } = useAct('Payment Error', 'Failed to initiate payment')
  const [isAsking, setAsking] = useState(false)
  const plan = PLANS[tier]
  const card = subscription?.card ?? null
  const waiting = card?.waiting ?? null
  const isPaid = isPaidPlan(tier)

  const keep = () => act('keep', () => keepPlan(env))
  const end = () =>
    act('end', async () => {
      await changePlan(env, { tier: 'free', billingPeriod: 'monthly' })
      if (card?.hasFailed) showToast({ tone: 'good', title: 'Plan cancelled', text: 'It has ended. Nothing will be charged.' })
    })
  const pay = () => act('pay', async () => void (waiting && (await leaveFor(waiting.url))))
  /** To ask for the plan that runs takes back the change that waits. */
  const drop = ({ tier, packageId, billingPeriod }: OwnCard) =>
    act('drop', async () => {
      const own = soldTier.safeParse(tier).data
      if (own) await changePlan(env, { tier: own, packageId: packageId ?? undefined, billingPeriod })
    })
  const manage = () => act('portal', async () => leaveFor(await portalUrl(env)))
  const refund = () => {
    setAsking(false)
    act('refund', async () => {
      const cents = await refundPlan(env)
      showToast({ tone: 'good', title: 'Paid back', text: `${shownPrice(cents)} go back to your card. Your plan has ended.` })
    })
  }

  // A given plan hides the card’s end, which comes by itself.
  const isGiven = subscription?.endDate === null && !card?.renews
  return (
    <section className="current-plan" aria-label="Current plan">
      <header>
        <div>
          <p className="small t2">Current plan</p>
          <h2>{plan.name}</h2>
        </div>
        {subscription && <p className="small t2">{whenOf(subscription)}</p>}
      </header>
      {card?.hasFailed && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          <strong>The last payment failed.</strong> {card.graceUntil && `Your plan goes on until ${shownDay(card.graceUntil)}. `}
          {waiting ? 'Pay it now, or change' : 'Change'} the card below, and it is tried again. Downgrade to Free ends the plan at
          once, and nothing is charged.
        </Note>
      )}
      {waiting?.kind === 'change' && (
        <Note icon={Landmark} tone="acc" role="status">
          <strong>One step is left.</strong> Confirm the payment of {shownPrice(waiting.amountCents)} for{' '}
          {PLANS[waiting.tier].name} at the card provider’s page{waiting.until && `, until ${shownMoment(waiting.until)}`}. Before
          that nothing is charged, and your plan stays as it is.
        </Note>
      )}
      <ul>
        {currentLinesOf(plan).map((line) => (
          <li key={line}>
            <Check className="i i-16" aria-hidden />
            {line}
          </li>
        ))}
      </ul>
      {isPaid && <p className="small t2">{BENEFITS_LIMIT}</p>}
      {usage && <UsageCard usage={usage} isReceived={!isPaid} />}
      {isPaid && subscription && (!card || isGiven) && <Note icon={Info}>{endWords(subscription)}</Note>}
      {card?.renews && !card.hasFailed && <p className="small t2">{downgradeWords(card.periodEnd)}</p>}
      <div className="acts">
        {waiting && (
          <button type="button" className="btn primary" onClick={pay} disabled={pending !== undefined}>
            {waiting.kind === 'change' ? 'Confirm payment' : `Pay ${shownPrice(waiting.amountCents)}`}
          </button>
        )}
        {card && waiting?.kind === 'change' && (
          <button type="button" className="btn outline" onClick={() => drop(card)} disabled={pending !== undefined}>
            {pending === 'drop' ? 'Processing...' : 'Cancel the change'}
          </button>
        )}
        {card && !card.renews && !isGiven && (
          <button type="button" className="btn primary" onClick={keep} disabled={pending !== undefined}>
            {pending === 'keep' ? 'Processing...' : 'Keep my plan'}
          </button>
        )}
        {subscription?.hasInvoices && subscription.cardProvider !== 'off' && (
          <button type="button" className="btn outline" onClick={manage} disabled={pending !== undefined}>
            <CreditCard className="i i-16" aria-hidden />
            Card and invoices
          </button>
        )}
        {card?.renews && (
          <button type="button" className="btn outline" onClick={end} disabled={pending !== undefined}>
            {pending === 'end' ? 'Processing...' : 'Downgrade to Free'}
          </button>
        )}
        {subscription?.refundableCents != null && (
          <button type="button" className="btn quiet" onClick={() => setAsking(true)} disabled={pending !== undefined}>
            {pending === 'refund' ? 'Processing...' : 'Refund'}
          </button>
        )}
      </div>
      {isAsking && subscription?.refundableCents != null && (
        <RefundDialog cents={subscription.refundableCents} onRefund={refund} onClose={() => setAsking(false)} />
      )}
    </section>
  )
}

function whenOf({ tier, card, endDate }: Subscription): string {
  if (card?.hasFailed) return ''
  if (card?.renews) return `Renews ${shownDay(card.periodEnd)}${card.tier === tier ? '' : ` as ${PLANS[card.tier].name}`}`
  return endDate === null ? '' : `Ends ${shownDay(endDate)}`
}
