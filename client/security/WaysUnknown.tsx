import { CircleAlert } from 'lucide-react'
import { Note } from '../ui/Note.tsx'

/** Shown while the ways in load or after loading has failed. */
export function WaysUnknown({ failure, onRetry }: { failure: string | null; onRetry: () => Promise<void> }) {
  if (!failure)
    return (
      <p className="small t2 late" role="status">
        Loading...
      </p>
    )
  return (
    <div className="stack">
      <Note icon={CircleAlert} tone="danger" role="alert">
        <strong>What opens your account could not be loaded.</strong> {failure}
      </Note>
      <div className="acts">
        <button type="button" className="btn outline" onClick={() => void onRetry()}>
          Try again
        </button>
      </div>
    </div>
  )
}
