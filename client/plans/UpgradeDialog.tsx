import { Check, Info } from 'lucide-react'
import { PLANS, type Tier } from '../../contract/plans.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Note } from '../ui/Note.tsx'
import { linesOf, shownPrice } from './lines.ts'
import './plans.css'

const FEATURES = {
  messaging: 'Messages need a subscription',
}

const OFFERED: Tier[] = ['test', 'premium']

interface Props {
  feature: keyof typeof FEATURES
  onClose: () => void
}

/** Dialog that shows the rights of a subscription. */
export function UpgradeDialog({ feature, onClose }: Props) {
  return (
    <Dialog title={FEATURES[feature]} text="You can go on receiving and reading messages from paid users." onClose={onClose}>
      <div className="plans">
        {OFFERED.map((tier) => PLANS[tier]).map((plan) => (
          <section className="plan" key={plan.name} aria-label={plan.name}>
            <b>{plan.name}</b>
            <span className="price">
              {shownPrice(plan.monthlyCents ?? 0)}
              <small>/month</small>
            </span>
            <ul>
              {linesOf(plan).map((line) => (
                <li key={line}>
                  <Check className="i i-16" aria-hidden />
                  {line}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <Note icon={Info}>Plans cannot be bought on this server yet. Whoever runs it can set the plan of your account.</Note>
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Maybe Later
        </button>
      </footer>
    </Dialog>
  )
}
