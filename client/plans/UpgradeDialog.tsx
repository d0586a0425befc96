import { Check, Info } from 'lucide-react'
import { Dialog } from '../ui/Dialog.tsx'
import { Note } from '../ui/Note.tsx'
import './plans.css'

const FEATURES = {
  messaging: 'Messages need a subscription',
}

const PLANS = [
  { name: 'Test', price: '$1', limits: ['10 messages per month', 'Unlimited voice and video calls', 'Files up to 10MB'] },
  { name: 'Premium', price: '$1,000', limits: ['Unlimited messages, calls and files', 'Priority support'] },
]

interface Props {
  feature: keyof typeof FEATURES
  onClose: () => void
}

/** What a subscription would allow. */
export function UpgradeDialog({ feature, onClose }: Props) {
  return (
    <Dialog title={FEATURES[feature]} text="You can go on receiving and reading messages from paid users." onClose={onClose}>
      <div className="plans">
        {PLANS.map((plan) => (
          <section className="plan" key={plan.name} aria-label={plan.name}>
            <b>{plan.name}</b>
            <span className="price">
              {plan.price}
              <small>/month</small>
            </span>
            <ul>
              {plan.limits.map((limit) => (
                <li key={limit}>
                  <Check className="i i-16" aria-hidden />
                  {limit}
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
