import { Check, CheckCheck, CircleAlert, Clock, KeyRound, LoaderCircle } from 'lucide-react'
import { memo } from 'react'
import { REFUSALS } from '../../contract/refusals.ts'
import { NOT_ENCRYPTED } from '../rooms/preview.ts'
import { textParts } from '../ui/links.ts'
import { clockTime, moment } from '../ui/time.ts'
import { remarksOf, writtenAt } from './remarks.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  message: ShownMessage
  /** The other person's name. */
  name: string
  startsRun: boolean
  endsRun: boolean
  /** `onRetry` and `onDelete` receive the id of an unsent message. */
  onRetry: (id: string) => void
  onDelete: (id: string) => void
}

export const Bubble = memo(function Bubble({ message, name, startsRun, endsRun, onRetry, onDelete }: Props) {
  const { below, details } = remarksOf(message, name)
  return (
    <div className={`msg ${message.isMine ? 'me' : ''} ${endsRun ? '' : 'mid'}`}>
      {startsRun && <span className="sr">{message.isMine ? 'You' : name}</span>}
      <Body message={message} details={details} />
      {below.map((remark) => (
        <p className="remark" key={remark}>
          {remark}
        </p>
      ))}
      <Under message={message} onRetry={onRetry} onDelete={onDelete} />
    </div>
  )
})

interface BodyProps {
  message: ShownMessage
  /** Remarks for the tooltip of the time and for screen readers. */
  details: string[]
}

function Body({ message, details }: BodyProps) {
  const { body } = message
  if (body.kind === 'unreadable')
    return (
      <div className="bub unreadable">
        <KeyRound className="i i-16" aria-hidden />
        <p>
          {sentence(body.reason)}
          <Meta message={message} details={details} />
        </p>
      </div>
    )
  return (
    <div className="bub">
      {body.kind === 'plain' && <span className="badge danger">{NOT_ENCRYPTED}</span>}
      <p dir="auto">
        {textParts(body.text).map((part, index) =>
          part.href ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
            <a key={index} href={part.href} target="_blank" rel="noopener noreferrer">
              {part.text}
            </a>
          ) : (
            part.text
          ),
        )}
        <Meta message={message} details={details} />
      </p>
    </div>
  )
}

const TICKS = {
  sending: { Icon: LoaderCircle, words: 'Sending', className: 'spin' },
  waiting: { Icon: Clock, words: 'Waiting', className: '' },
  failed: { Icon: CircleAlert, words: 'Not sent', className: 'fail' },
  sent: { Icon: Check, words: 'Sent', className: '' },
  delivered: { Icon: CheckCheck, words: 'Delivered', className: '' },
  read: { Icon: CheckCheck, words: 'Read', className: 'read' },
}

function Meta({ message, details }: BodyProps) {
  const at = new Date(message.at)
  const ticks = message.status && TICKS[message.status]
  const written = writtenAt(message)
  return (
    <span className="meta">
      {written && <span>{written} ·</span>}
      <time dir="ltr" dateTime={message.at} title={[moment(at), ...details].join('. ')}>
        {clockTime(at)}
      </time>
      {details.length > 0 && <span className="sr">{details.join(' ')}</span>}
      {ticks && (
        <>
          <ticks.Icon className={`i i-16 ${ticks.className}`} aria-hidden />
          <span className="sr">{ticks.words}</span>
        </>
      )}
    </span>
  )
}

function Under({ message, onRetry, onDelete }: Pick<Props, 'message' | 'onRetry' | 'onDelete'>) {
  if (message.status !== 'failed' && message.status !== 'waiting') return null
  const isFailed = message.status === 'failed'
  // A deleted account stays deleted, so a retry is useless.
  const canRetry = isFailed && message.reason !== REFUSALS.account_deleted.text
  return (
    <div className={isFailed ? 'under fail' : 'under'}>
      <span>
        {isFailed ? 'Not sent.' : 'Waiting.'} {message.reason && sentence(message.reason)}
      </span>
      <span className="acts">
        {canRetry && (
          <button type="button" className="linkish" onClick={() => onRetry(message.id)}>
            Retry
          </button>
        )}
        <button type="button" className="linkish" onClick={() => onDelete(message.id)}>
          Delete
        </button>
      </span>
    </div>
  )
}

/** Adds the capital and the full stop that a reason may lack. */
function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
