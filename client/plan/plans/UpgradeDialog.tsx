import { Info } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { benefitsOf } from '../../../contract/money/benefits.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { askedIn } from './askedIn.ts'
import { leavingStore } from './leaving.ts'
import { needsPlan } from './needsPlan.ts'
import { shownPrice, testCardWords } from './planLines.ts'
import { byPrice, changePlan, type FramePayment, isPaidPlan, type Offered, offered, priceFor } from './plans.ts'
import { useConsent } from './useConsent.tsx'
import { useAct, usePlans } from './usePlans.tsx'
import './plans.css'

const FEATURES = {
  messaging: needsPlan('send messages'),
  calling: needsPlan('make calls'),
  fileSharing: `${needsPlan('share files')} Files that they offer you directly can be accepted.`,
}

const LeavingTor = later(async () => (await import('./LeavingTor.tsx')).LeavingTor)
const CheckoutDialog = later(async () => (await import('./CheckoutDialog.tsx')).CheckoutDialog)

interface Props {
  feature: keyof typeof FEATURES
  /** True if the server has refused a message, which stays where it was typed. */
  isRefused: boolean
  onClose: () => void
}

/** Dialog that offers the plans which allow what was about to be done. */
export function UpgradeDialog({ feature, isRefused, onClose }: Props) {
  const env = useEnv()
  const { subscription, packages, failure } = usePlans(null)
  const isLeaving = useStore(leavingStore, ({ asked }) => asked !== null)
  const [payment, setPayment] = useState<FramePayment>()
  const { pending, act } = useAct('Payment Error', 'Failed to initiate payment')
  const offers = packages && subscription && offered(packages, subscription.cardProvider)
  const [chosenKey, setChosen] = useState<string>()
  const chosen = offers?.find(({ key }) => key === chosenKey) ?? offers?.[0]
  const isOff = subscription?.cardProvider === 'off'
  const testCards = subscription && testCardWords(subscription)
  const { consent, isMissing, boxes } = useConsent(isOff ? undefined : subscription?.terms)

  // A payment form says so itself.
  const hasPlan = useStore(accountStore, ({ user }) => user !== null && isPaidPlan(user.subscriptionTier))
  const [hadPlan] = useState(hasPlan)
  const isOver = hasPlan && !hadPlan && !payment
  useEffect(() => {
    if (isOver) onClose()
  }, [isOver, onClose])

  const pay = (offer: Offered) =>
    act(offer.key, async () => {
      const { tier, packageId } = offer
      const inFrame = await changePlan(env, { tier, packageId, billingPeriod: priceFor(offer, 'monthly').period, consent })
      if (inFrame) setPayment(inFrame)
      else onClose()
    })

  if (payment) return <CheckoutDialog payment={payment} onClose={onClose} />
  return (
    <Dialog
      title={isRefused || feature !== 'messaging' ? 'Subscription Required' : 'Security Plans'}
      text={isRefused ? `${FEATURES[feature]} Your text is kept.` : FEATURES[feature]}
      onClose={onClose}
    >
      <div className="plan-rows" role="radiogroup" aria-label="Plan">
        {offers?.toSorted(byPrice).map((offer) => {
          const { period, cents } = priceFor(offer, 'monthly')
          return (
            <label key={offer.key}>
              <input type="radio" name="plan" checked={offer === chosen} onChange={() => setChosen(offer.key)} />
              <span>
                <b dir="auto">{offer.name}</b>
                <span className="small t2">{benefitsOf(offer)}</span>
              </span>
              <span className="price">
                {isOff ? 'Contact us' : shownPrice(cents)}
                {!isOff && <small>/{period === 'yearly' ? 'year' : 'month'}</small>}
              </span>
            </label>
          )
        })}
        {!offers && !failure && <Spinner words="Loading" />}
      </div>
      {failure && (
        <Note icon={Info} tone="danger" role="alert">
          {failure}
        </Note>
      )}
      {testCards && <Note icon={Info}>{testCards}: pay by a test card.</Note>}
      {isOff && <Note icon={Info}>Card payment is not set up on this server.</Note>}
      {chosen && boxes}
      <Link className="linkish" href="/subscribe" state={{ askedIn: askedIn() }} onClick={onClose}>
        View All Plans
      </Link>
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Maybe Later
        </button>
        {chosen && !isOff && (
          <button type="button" className="btn primary" disabled={isMissing || pending !== undefined} onClick={() => pay(chosen)}>
            {pending !== undefined ? 'Processing...' : `Choose ${chosen.name}`}
          </button>
        )}
      </footer>
      {isLeaving && <LeavingTor />}
    </Dialog>
  )
}
