import { CircleAlert, Info } from 'lucide-react'
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import type { Tier } from '../../contract/plans.ts'
import { useEnv } from '../ui/env.tsx'
import { Note } from '../ui/Note.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { CurrentPlan } from './CurrentPlan.tsx'
import { PlanList } from './PlanList.tsx'
import { isPaidPlan, readPlans } from './plans.ts'
import { usePlans } from './usePlans.tsx'
import './plantab.css'

const WAIT_MS = 3000

/** The own plan and what is for sale: the tab of the settings, and the page /subscribe. */
export function PlanTab({ tier }: { tier: Tier }) {
  const env = useEnv()
  const { subscription, packages, usage, failure } = usePlans(tier)
  const [search] = useSearchParams()
  const paid = search.get('paid')
  const isAwaited = paid === 'yes' && !isPaidPlan(tier)
  useEffect(() => {
    if (!isAwaited) return
    const timer = setInterval(() => void readPlans(env), WAIT_MS)
    return () => clearInterval(timer)
  }, [env, isAwaited])

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
              <strong>Thank you.</strong> Your payment is confirmed, and your plan counts from now on.
            </>
          )}
        </Note>
      )}
      {paid === 'no' && (
        <Note icon={Info} role="status">
          Nothing was paid.
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
      <CurrentPlan tier={tier} subscription={subscription} usage={usage} />
      {subscription && packages ? (
        <PlanList tier={tier} subscription={subscription} packages={packages} />
      ) : (
        !failure && <Spinner words="Loading" />
      )}
    </div>
  )
}
