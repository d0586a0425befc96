import { FileKey } from 'lucide-react'
import { Link } from 'wouter'
import { Note } from '../../ui/Note.tsx'
import { useWays } from '../account/useWays.tsx'
import { hasUncheckedKit } from './uncheckedKit.ts'
import './kit.css'

/** A reminder above a phone's list until a kit exists, hidden while that is unknown. Elsewhere the welcome says it. */
export function KitReminder() {
  const { ways } = useWays()
  if (!ways || ways.kit) return null
  return (
    <div className="kit-reminder">
      <Note icon={FileKey}>
        <strong>You have no recovery kit.</strong>{' '}
        {hasUncheckedKit() && 'The one that you were shown was never checked, so it does not count. '}If the password is
        forgotten, nothing else lets you back in. <Link href="/settings?tab=security">Make one</Link>
      </Note>
    </div>
  )
}
