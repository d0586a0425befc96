import { CalendarClock } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import type { Tier } from '../../../contract/money/plans.ts'
import { useEnv } from '../../ui/env.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { followSubscription, isPaidPlan } from './plans.ts'
import { type Reminder, reminderOf } from './reminder.ts'
import { plansStore } from './store.ts'

/** What is to be said of a paid plan now: a payment that waits or has failed, or an end within days. */
export function useReminder(tier: Tier, now: Date): Reminder | undefined {
  const env = useEnv()
  const subscription = useStore(plansStore, (state) => state.subscription)
  const isPaid = isPaidPlan(tier)
  useEffect(() => {
    if (isPaid) return followSubscription(env)
  }, [env, isPaid])
  return isPaid && subscription ? reminderOf(subscription, now) : undefined
}

export function PlanReminder({ reminder: { title, text, act }, onLeave }: { reminder: Reminder; onLeave: () => void }) {
  return (
    <Notice icon={CalendarClock} title={title} text={text}>
      <Link className="btn compact outline" href="/subscribe" onClick={onLeave}>
        {act}
      </Link>
    </Notice>
  )
}
