import { useCopy } from '../../ui/useCopy.tsx'
import { sentence } from './remarks.ts'
import type { ShownMessage } from './store.ts'
import { useUnsentActs } from './useUnsentActs.tsx'

interface Props {
  pending: NonNullable<ShownMessage['pending']>
  onUpgrade: () => void
}

/** What was done to a message and is not sent. */
export function UnderActs({ pending, onUpgrade }: Props) {
  const { ids, status, reason, words } = pending
  const { isCopied, copy } = useCopy(words ?? '')
  const { retry, remove } = useUnsentActs(onUpgrade)
  const isFailed = status === 'failed'
  return (
    <div className={isFailed ? 'under fail' : 'under'}>
      <span>
        {isFailed ? 'Change not sent. ' : 'Change waits. '}
        {reason && sentence(reason)}
      </span>
      <span className="acts">
        {isFailed && (
          <button type="button" className="linkish" onClick={() => ids.forEach(retry)}>
            Retry
          </button>
        )}
        {isFailed && words && (
          <button type="button" className="linkish" onClick={copy}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
        <button type="button" className="linkish" onClick={() => ids.forEach(remove)}>
          Discard
        </button>
      </span>
    </div>
  )
}
