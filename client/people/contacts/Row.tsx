import {
  Ban,
  BellOff,
  Check,
  CheckCheck,
  CircleAlert,
  Clock,
  FileText,
  Image,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  Pencil,
  ShieldAlert,
  ShieldCheck,
} from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { usePresence } from '../../me/privacy/usePresence.tsx'
import { draftsStore } from '../../rooms/list/drafts.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import { isAwaited } from '../../rooms/list/room.ts'
import { isNews, isShutRow, newestAt, type Preview, type RoomRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { stopOf } from '../../rooms/trust/trustPill.ts'
import { Avatar, PresenceDot } from '../../ui/Avatar.tsx'
import { relativeTime } from '../../ui/time.ts'

interface Props {
  room: RoomRow
  /** The other person of the room. */
  person: Person
  now: Date
  isOpen: boolean
  /** True if another contact has the same display name, so that the username is shown too. */
  isAmbiguous: boolean
}

/** A conversation in the list. It is drawn again only where one of these has changed. */
export const Row = memo(function Row({ room, person, now, isOpen, isAmbiguous }: Props) {
  const { isDeleted, username } = person
  const name = nameOf(person)
  const presence = usePresence(room, person, now)
  const at = newestAt(room) ?? (isDeleted ? null : person.lastSeen)
  const count = room.unreadCount > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : room.unreadCount
  return (
    <Link
      href={`/chat/${room.id}`}
      className={`row ${isOpen ? 'on' : ''} ${room.unreadCount > 0 ? 'unread' : ''}`}
      aria-current={isOpen ? 'page' : undefined}
      data-room={room.id}
    >
      <Avatar id={person.id} name={name} photo={person.photo} isOutlined={isDeleted || room.isBlocked || isAwaited(room)}>
        <PresenceDot isOnline={presence?.isOnline} />
      </Avatar>
      <div>
        <div className="l1">
          <span className="whose">
            <span className="name cut" dir="auto" title={isDeleted ? undefined : `${name} (@${username})`}>
              {name}
            </span>
            {person.isVerified && !person.mismatch && (
              <>
                <ShieldCheck className="i i-14" aria-hidden />
                <span className="sr">Verified</span>
              </>
            )}
          </span>
          <span className="sr">{presence?.words}</span>
          {room.mutedUntil && (
            <>
              <BellOff className="i i-14 t3" aria-hidden />
              <span className="sr">Muted</span>
            </>
          )}
          {isNews(room) && (
            <>
              <i className="red-dot" />
              <span className="sr">Unread notifications</span>
            </>
          )}
          {at && (
            <time className="last-at" dateTime={at}>
              <span className="sr">{newestAt(room) ? 'Last message' : 'Last seen'} </span>
              {relativeTime(new Date(at), now)}
            </time>
          )}
        </div>
        <div className="l2">
          <Line room={room} person={person} isOpen={isOpen} isAmbiguous={isAmbiguous} />
          {room.unreadCount > 0 && (
            <span className={room.mutedUntil ? 'count still' : 'count'}>
              {count}
              <span className="sr"> unread</span>
            </span>
          )}
        </div>
      </div>
    </Link>
  )
})

/** One state in words, the first that applies. */
function Line({ room, person, isOpen, isAmbiguous }: Omit<Props, 'now'>) {
  const { isDeleted, username } = person
  const draft = useStore(draftsStore, ({ drafts }) => drafts.get(room.id))
  const stop = isDeleted ? undefined : stopOf(person, { isForked: room.forks.length > 0, asksRestart: room.asksRestart })
  if (stop)
    return (
      <>
        <ShieldAlert className="i i-16 fail" aria-hidden />
        <span className="cut failed">{stop}, sending is stopped</span>
      </>
    )
  if (isShutRow(room))
    return (
      <>
        <LockKeyhole className="i i-16" aria-hidden />
        <span className="cut t3">{room.lock === 'shut' ? 'Locked' : 'Setting was interrupted'}</span>
      </>
    )
  if (room.isBlocked)
    return (
      <>
        <Ban className="i i-16" aria-hidden />
        <span className="cut t3">Blocked</span>
      </>
    )
  if (draft && !isOpen && room.preview?.kind !== 'failed')
    return (
      <>
        <Pencil className="i i-16" aria-hidden />
        <span className="cut" dir="auto">
          <b>Draft:</b> {draft}
        </span>
      </>
    )
  if (room.isTyping) return <span className="cut typing">typing…</span>
  if (isAwaited(room) && room.preview?.kind !== 'failed')
    return (
      <>
        <Clock className="i i-16" aria-hidden />
        <span className="cut">Request sent</span>
      </>
    )
  if (!room.preview)
    return (
      <span className="cut t3">
        {isDeleted ? 'No messages' : `@${username}`}
        {!isDeleted && !person.identityKey && ' · no device yet'}
      </span>
    )
  const { preview } = room
  const isFailed = preview.kind === 'failed'
  return (
    <>
      {isFailed ? <CircleAlert className="i i-16 fail" aria-hidden /> : <Ticks status={preview.status} />}
      <KindIcon kind={preview.kind} />
      <span className={isFailed ? 'cut failed' : 'cut'} dir="auto">
        {isAmbiguous && !isDeleted && <span className="t3">@{username} · </span>}
        {isFailed && 'Not sent: '}
        {preview.kind === 'plain' && <span className="failed">{NOT_ENCRYPTED}: </span>}
        {preview.text}
      </span>
    </>
  )
}

const KINDS: Partial<Record<Preview['kind'], LucideIcon>> = { photo: Image, document: FileText, unreadable: KeyRound }

function KindIcon({ kind }: { kind: Preview['kind'] }) {
  const Icon = KINDS[kind]
  return Icon ? <Icon className="i i-16" aria-hidden /> : null
}

const TICKS = {
  sending: { Icon: Clock, words: 'Not sent yet', className: '' },
  sent: { Icon: Check, words: 'Sent', className: '' },
  delivered: { Icon: CheckCheck, words: 'Delivered', className: '' },
  read: { Icon: CheckCheck, words: 'Read', className: 'read' },
}

function Ticks({ status }: { status: Preview['status'] }) {
  if (!status) return null
  const { Icon, words, className } = TICKS[status]
  return (
    <>
      <Icon className={`i i-16 ${className}`} aria-hidden />
      <span className="sr">{words}</span>
    </>
  )
}
