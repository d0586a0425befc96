import type { Tier } from '../../contract/money/plans.ts'
import { KitReminder } from '../me/kit/KitReminder.tsx'
import { PlanReminder } from '../plan/plans/PlanReminder.tsx'

/** What the person should see to, above the list of chats: the recovery kit, and the plan. */
export function Reminders({ tier }: { tier: Tier }) {
  return (
    <>
      <KitReminder />
      <PlanReminder tier={tier} />
    </>
  )
}
