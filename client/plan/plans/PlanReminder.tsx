import { CalendarClock, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import type { Tier } from '../../../contract/money/plans.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Note } from '../../ui/Note.tsx'
import { followSubscription, isPaidPlan } from './plans.ts'
import { isPutAway, putAway, reminderOf } from './reminder.ts'
import { plansStore } from './store.ts'
import './reminder.css'

/** A line above the list while a payment waits or has failed, or the paid time ends within days; until the person puts it away. */
export function PlanReminder({ tier }: { tier: Tier }) {
  const env = useEnv()
  const now = useNow(60_000)
  const subscription = useStore(plansStore, (state) => state.subscription)
  const [, setPutAway] = useState<string>()
  const isPaid = isPaidPlan(tier)
  useEffect(() => {
    if (isPaid) return followSubscription(env)
  }, [env, isPaid])
  const reminder = isPaid && subscription ? reminderOf(subscription, now) : undefined
  if (!reminder || isPutAway(reminder)) return null
  return (
    <div className="plan-reminder">
      <Note icon={CalendarClock} role="status">
        <p>
          <strong>{reminder.title}</strong> {reminder.text} <Link href="/subscribe">{reminder.act}</Link>
        </p>
        <IconButton
          icon={X}
          label="Put away"
          onClick={() => {
            putAway(reminder)
            setPutAway(reminder.key)
          }}
        />
      </Note>
    </div>
  )
}
