import { CircleAlert } from 'lucide-react'
import { Note } from './Note.tsx'

interface Props {
  /** Says what is missing: "What opens your account could not be loaded." */
  words: string
  /** Why; null while it is being read. */
  failure: string | null
  onRetry: () => void
}

/** Stands in the place of what is being read, or could not be. */
export function NotRead({ words, failure, onRetry }: Props) {
  if (failure === null)
    return (
      <p className="small t2 late" role="status">
        Loading...
      </p>
    )
  return (
    <div className="stack">
      <Note icon={CircleAlert} tone="danger" role="alert">
        <strong>{words}</strong> {failure}
      </Note>
      <div className="acts">
        <button type="button" className="btn outline" onClick={onRetry}>
          Try again
        </button>
      </div>
    </div>
  )
}
