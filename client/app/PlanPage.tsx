import type { User } from '../../contract/account/account.ts'
import { CoinPart } from '../plan/coins/CoinPart.tsx'
import { Membership } from '../plan/family/Membership.tsx'
import { PlanTab } from '../plan/plans/PlanTab.tsx'
import { later } from '../ui/later.tsx'

const ReceiptsPart = later(async () => (await import('../plan/receipts/ReceiptsPart.tsx')).ReceiptsPart)

/** The own plan, all others, the family circle, and the receipts. */
export function PlanPage({ user }: { user: User }) {
  return (
    <>
      <PlanTab tier={user.subscriptionTier} />
      <CoinPart />
      <Membership user={user} />
      <ReceiptsPart />
    </>
  )
}
