import { Info } from 'lucide-react'
import { Note } from '../../ui/Note.tsx'
import './plans.css'

export function FreeBanner({ onUpgrade }: { onUpgrade: () => void }) {
  return (
    <div className="free">
      <Note icon={Info} tone="acc" role="status">
        <strong>Free Plan Active</strong> You can receive and read messages from paid users. To send, call or share files, you
        need a subscription.{' '}
        <button type="button" className="linkish" onClick={onUpgrade}>
          View subscription plans
        </button>
      </Note>
    </div>
  )
}
