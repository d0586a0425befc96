import { CircleCheck } from 'lucide-react'
import { useEffect } from 'react'
import { useHistoryState } from 'wouter/use-browser-location'
import { useStore } from 'zustand'
import { PLANS } from '../../../contract/money/plans.ts'
import { useEnv } from '../../ui/env.tsx'
import type { Known } from './askedIn.ts'
import { FreeBanner } from './FreeBanner.tsx'
import { shownEnd } from './planLines.ts'
import { followSubscription, isPaidPlan, readSubscription } from './plans.ts'
import { plansStore } from './store.ts'
import { useForgetPaid, useSettle } from './usePlans.tsx'
import './plans.css'

const WAIT_MS = 3000

interface Props {
  canSend: boolean
  onUpgrade: () => void
}

/** What a chat says of the plan: that it is missing, or that it was just paid. */
export function PlanLine({ canSend, onUpgrade }: Props) {
  const known = useHistoryState<Known | null>()
  return known?.paid === 'yes' ? <PaidLine canSend={canSend} /> : canSend ? null : <FreeBanner onUpgrade={onUpgrade} />
}

function PaidLine({ canSend }: Pick<Props, 'canSend'>) {
  const env = useEnv()
  const subscription = useStore(plansStore, (state) => state.subscription)
  useForgetPaid(canSend)
  useSettle(!canSend)
  useEffect(() => {
    const endFollowing = followSubscription(env)
    const timer = setInterval(() => !canSend && document.visibilityState === 'visible' && void readSubscription(env), WAIT_MS)
    return () => {
      endFollowing()
      clearInterval(timer)
    }
  }, [env, canSend])
  const end = subscription?.card?.periodEnd ?? subscription?.endDate
  return (
    <div className="free">
      <p className="paid" role="status">
        <CircleCheck className="i i-16" aria-hidden />
        {!canSend
          ? 'Paid. The card provider’s confirmation is on its way; your text is kept.'
          : subscription && isPaidPlan(subscription.tier)
            ? `${PLANS[subscription.tier].name}${end ? ` until ${shownEnd(end)}` : ''}`
            : 'Paid.'}
      </p>
    </div>
  )
}
