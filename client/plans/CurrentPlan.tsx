import { Check, Info } from 'lucide-react'
import { PLANS, type Tier } from '../../contract/plans.ts'
import { Note } from '../ui/Note.tsx'
import { currentLinesOf } from './lines.ts'
import './current.css'

/** The plan of the own account, and what it allows. */
export function CurrentPlan({ tier }: { tier: Tier }) {
  const plan = PLANS[tier]
  return (
    <section className="current-plan" aria-label="Current plan">
      <p className="small t2">Current plan</p>
      <h2>{plan.name}</h2>
      <ul>
        {currentLinesOf(plan).map((line) => (
          <li key={line}>
            <Check className="i i-16" aria-hidden />
            {line}
          </li>
        ))}
      </ul>
      <Note icon={Info}>Plans cannot be bought on this server yet. Whoever runs it can set the plan of your account.</Note>
    </section>
  )
}
