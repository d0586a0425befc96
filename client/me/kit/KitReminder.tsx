import { FileKey } from 'lucide-react'
import { Link } from 'wouter'
import { Notice } from '../../ui/Notice.tsx'
import { hasUncheckedKit } from './uncheckedKit.ts'

export const kitTitle = (): string => (hasUncheckedKit() ? 'Your recovery kit was never checked' : 'You have no recovery kit')

/** Leads to a kit, where the account has none that counts. */
export function KitReminder({ onLeave }: { onLeave: () => void }) {
  return (
    <Notice
      icon={FileKey}
      title={kitTitle()}
      text={`${hasUncheckedKit() ? 'So it does not count. ' : ''}If the password is forgotten, nothing else lets you back in.`}
    >
      <Link className="btn compact outline" href="/settings?tab=security#kit" onClick={onLeave}>
        Make one
      </Link>
    </Notice>
  )
}
