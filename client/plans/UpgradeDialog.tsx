import { Check, Info } from 'lucide-react'
import { PLANS, type Tier } from '../../contract/plans.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Note } from '../ui/Note.tsx'
import { linesOf, shownPrice } from './lines.ts'
import './plans.css'

const FEATURES = {
  messaging: 'You need a paid subscription to send messages. You can still receive and read messages from paid users.',
}

const OFFERED: Tier[] = ['test', 'premium']

interface Props {
  feature: keyof typeof FEATURES
  /** True if the person was about to send something, which stays where it was typed. */
  isRefused: boolean
  onClose: () => void
}

/** Dialog that shows the rights of a subscription. */
export function UpgradeDialog({ feature, isRefused, onClose }: Props) {
  return (
    <Dialog
      title={isRefused ? 'Subscription Required' : 'Security Plans'}
      text={isRefused ? `${FEATURES[feature]} Your text is kept.` : FEATURES[feature]}
      onClose={onClose}
    >
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
