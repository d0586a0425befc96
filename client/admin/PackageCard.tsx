import type { AdminPackage } from '../../contract/admin/adminpackages.ts'
import { FEATURES, limitWords, priceWords, saleWords } from './packages.ts'

interface Props {
  shown: AdminPackage
  /** Absent, like the actions, for one that is archived. */
  isPending?: boolean
  onEdit?: () => void
  onToggle?: () => void
  onDelete?: () => void
}

/** A package with everything that is stored of it. One that is hidden is dimmed. */
export function PackageCard({ shown, isPending = false, onEdit, onToggle, onDelete }: Props) {
  const features = Object.entries(FEATURES).filter(([name]) => shown[name as keyof typeof FEATURES])
  const sale = saleWords(shown)
  return (
    <article className={shown.isActive ? 'package' : 'package dim'} aria-label={shown.name}>
      <header>
        <div>
          <h3 dir="auto">{shown.name}</h3>
          <p dir="auto">{shown.description}</p>
        </div>
        <span className="badge">{shown.tier.toUpperCase()}</span>
        {!shown.isActive && <span className="badge warn">INACTIVE</span>}
      </header>
      <p className="price">
        <span>
          {priceWords(shown.monthlyPrice)}
          <small>/month</small>
        </span>
        <small>{priceWords(shown.yearlyPrice)}/year</small>
      </p>
      <dl>
        <div>
          <dt>Messages</dt>
          <dd>{limitWords(shown.messagesLimit)}</dd>
        </div>
        <div>
          <dt>Storage</dt>
          <dd>{limitWords(shown.fileStorageGB, 'GB')}</dd>
        </div>
        <div>
          <dt>Video</dt>
          <dd>{limitWords(shown.videoCallMinutes, 'min')}</dd>
        </div>
        <div>
          <dt>Order</dt>
          <dd>{shown.displayOrder}</dd>
        </div>
      </dl>
      <p className="features">
        {features.length === 0 && <span className="small t2">No extra features</span>}
        {features.map(([name, words]) => (
          <span key={name} className="badge">
            {words}
          </span>
        ))}
      </p>
      <dl className="ids">
        <div>
          <dt>Stripe, month</dt>
          <dd className="mono">{shown.stripePriceIdMonthly ?? 'Not set'}</dd>
        </div>
        <div>
          <dt>Stripe, year</dt>
          <dd className="mono">{shown.stripePriceIdYearly ?? 'Not set'}</dd>
        </div>
      </dl>
      {sale && <p className="small t2">{sale}</p>}
      {onEdit && (
        <footer>
          <button type="button" className="btn compact outline" disabled={isPending} onClick={onEdit}>
            Edit<span className="sr"> {shown.name}</span>
          </button>
          <button type="button" className="btn compact quiet" disabled={isPending} onClick={onToggle}>
            {shown.isActive ? 'Hide' : 'Show'}
            <span className="sr"> {shown.name}</span>
          </button>
          <button type="button" className="btn compact quiet bad" disabled={isPending} onClick={onDelete}>
            Delete<span className="sr"> {shown.name}</span>
          </button>
        </footer>
      )}
    </article>
  )
}
