import { Check, CheckCheck, CircleAlert, Clock, Pin, Star } from 'lucide-react'
import { photosWords } from '../../../contract/chat/kinds/file.ts'
import { clockTime, moment } from '../../ui/time.ts'
import { writtenAt } from './remarks.ts'
import type { ShownMessage } from './store.ts'
import { TimeLeft } from './TimeLeft.tsx'

const TICKS = {
  sending: { Icon: Clock, words: 'sending', className: '' },
  waiting: { Icon: Clock, words: 'waiting', className: '' },
  failed: { Icon: CircleAlert, words: 'not sent', className: 'fail' },
  sent: { Icon: Check, words: 'sent', className: '' },
  delivered: { Icon: CheckCheck, words: 'delivered', className: '' },
  read: { Icon: CheckCheck, words: 'read', className: 'read' },
}

interface Props {
  message: ShownMessage
  details: string[]
  isStarred: boolean
  /** True for a time beside the bubble, shown on hover or focus. */
  isAside: boolean
}

/** Hidden from screen readers, because `spokenName` has the time and ticks. */
export function Meta({ message, details, isStarred, isAside }: Props) {
  const at = new Date(message.at)
  const ticks = message.status && TICKS[message.status]
  const written = writtenAt(message)
  return (
    <span className={isAside ? 'meta aside' : 'meta'} aria-hidden="true">
      {written && <span>{written} ·</span>}
      {isStarred && <Star className="i i-14" />}
      {message.isPinned && <Pin className="i i-14" />}
      {message.edited && <span>Edited</span>}
      {message.lifetime && <TimeLeft {...message.lifetime} />}
      <time dir="ltr" dateTime={message.at} title={[moment(at), ...details].join('. ')}>
        {clockTime(at)}
      </time>
      {ticks && <ticks.Icon className={`i i-16 ${ticks.className}`} />}
    </span>
  )
}

/** "You, 7:36 PM, read", with the tooltip's remarks; of an album with "4 photos" before it. */
export function spokenName(
  message: ShownMessage,
  name: string,
  details: string[],
  isStarred: boolean,
  album?: ShownMessage[],
): string {
  const written = writtenAt(message)
  const parts = [message.isMine ? 'You' : name, clockTime(new Date(message.at))]
  if (album) parts.unshift(photosWords(album.length))
  if (written) parts.push(written)
  if (isStarred) parts.push('starred')
  if (message.isPinned) parts.push('pinned')
  if (message.edited) parts.push('edited')
  if (message.lifetime) parts.push('disappears')
  if (message.status) parts.push(TICKS[message.status].words)
  return [parts.join(', '), ...details].join('. ')
}
