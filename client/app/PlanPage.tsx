import type { User } from '../../contract/account/account.ts'
import { CoinPart } from '../plan/coins/CoinPart.tsx'
import { Membership } from '../plan/family/Membership.tsx'
import { PlanTab } from '../plan/plans/PlanTab.tsx'

/** The own plan, all others, and the family circle. */
export function PlanPage({ user }: { user: User }) {
  return (
    <>
      <PlanTab tier={user.subscriptionTier} />
      <CoinPart />
      <Membership user={user} />
    </>
  )
}
