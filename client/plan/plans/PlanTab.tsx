import { CircleAlert, Info } from 'lucide-react'
import { useEffect, useLayoutEffect } from 'react'
import { Link, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { useStore } from 'zustand'
import type { Tier } from '../../../contract/money/plans.ts'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { type Known, takeReturn } from './askedIn.ts'
import { CurrentPlan } from './CurrentPlan.tsx'
import { leavingStore } from './leaving.ts'
import { PlanList } from './PlanList.tsx'
import { isPaidPlan, readPlans } from './plans.ts'
import { useForgetPaid, usePlans, useSettle } from './usePlans.tsx'
import './plantab.css'

const LeavingTor = later(async () => (await import('./LeavingTor.tsx')).LeavingTor)

const WAIT_MS = 3000

/** The own plan and what is for sale: the tab of the settings, and the page /subscribe. */
export function PlanTab({ tier }: { tier: Tier }) {
  const env = useEnv()
  const { subscription, packages, usage, failure } = usePlans(tier)
  // The plan, and what the screen says of it, come by one answer: the own account may be read sooner.
  const shown = subscription?.tier ?? tier
  const isLeaving = useStore(leavingStore, ({ asked }) => asked !== null)
  const { paid, askedIn } = useHistoryState<Known | null>() ?? {}
  const said = new URLSearchParams(useSearch()).get('paid')
  // Before it is painted: no page stands between the payment and the words that were kept.
  useLayoutEffect(() => {
    if (said !== null) takeReturn(said)
  }, [said])
  const isPaid = isPaidPlan(tier)
  useForgetPaid(isPaid)
  const isAwaited = paid === 'yes' && !isPaid
  useSettle(isAwaited)
  const isAsked = isAwaited || subscription?.card?.waiting?.kind === 'change'
  useEffect(() => {
    if (!isAsked) return
    const timer = setInterval(() => document.visibilityState === 'visible' && void readPlans(env), WAIT_MS)
    return () => clearInterval(timer)
  }, [env, isAsked])

  return (
    <div className="plan-tab">
      {paid === 'yes' && (
        <Note icon={Info} tone="acc" role="status">
          {isAwaited ? (
            <>
              <strong>Thank you.</strong> We wait for the card provider’s confirmation. You may leave this page.
            </>
          ) : (
            <>
              <strong>Thank you.</strong> Your payment is confirmed, and your plan counts from now on.{' '}
              {askedIn ? (
                <Link href={askedIn} state={{ paid } satisfies Known}>
                  Back to the chat
                </Link>
              ) : (
                <Link href="/">Back to your chats</Link>
              )}
            </>
          )}
        </Note>
      )}
      {paid === 'no' && (
        <Note icon={Info} role="status">
          Nothing was paid. {askedIn && <Link href={askedIn}>Back to the chat</Link>}
        </Note>
      )}
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}{' '}
          <button type="button" className="linkish" onClick={() => void readPlans(env)}>
            Try again
          </button>
        </Note>
      )}
      <CurrentPlan tier={shown} subscription={subscription} usage={usage} />
      {subscription && packages ? (
        <PlanList tier={shown} subscription={subscription} packages={packages} />
      ) : (
        !failure && <Spinner words="Loading" />
      )}
      {isLeaving && <LeavingTor />}
    </div>
  )
}
