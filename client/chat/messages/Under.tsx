import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import { useCopy } from '../../ui/useCopy.tsx'
import { sentence } from './remarks.ts'
import type { ShownMessage } from './store.ts'
import { useUnsentActs } from './useUnsentActs.tsx'

interface Props {
  message: ShownMessage
  onUpgrade: () => void
}

export function Under({ message, onUpgrade }: Props) {
  const { id, status, reason, body, isQueued, canBeTakenBack } = message
  const { isCopied, copy } = useCopy('text' in body ? body.text : '')
  const isFailed = status === 'failed'
  // A deleted account has no field any more.
  const isForEver = reason === REFUSAL_TEXTS.account_deleted
  const { retry, cancel, remove } = useUnsentActs(onUpgrade)
  return (
    <div className={isFailed ? 'under fail' : 'under'}>
      <span>
        {isFailed ? 'Not sent. ' : !isQueued && 'Waiting. '}
        {reason && sentence(reason)}
      </span>
      <span className="acts">
        {isFailed && !isForEver && (
          <button type="button" className="linkish" onClick={() => retry(id)}>
            Retry
          </button>
        )}
        {isFailed && body.kind === 'text' && (
          <button type="button" className="linkish" onClick={copy}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
        {canBeTakenBack && !isForEver ? (
          <button type="button" className="linkish" onClick={() => cancel(id)}>
            Cancel
          </button>
        ) : (
          <button type="button" className="linkish" onClick={() => remove(id)}>
            Delete
          </button>
        )}
      </span>
    </div>
  )
}
