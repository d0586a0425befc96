import {
  Check,
  CheckCheck,
  CircleAlert,
  Clock,
  FileText,
  Image,
  KeyRound,
  type LucideIcon,
  ShieldAlert,
  ShieldCheck,
} from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { LIMITS } from '../../contract/limits.ts'
import { connectionStore } from '../net/status.ts'
import { type ContactRow, nameOf, type Preview } from '../rooms/rows.ts'
import { Avatar, PresenceDot } from '../ui/Avatar.tsx'
import { relativeTime } from '../ui/time.ts'

interface Props {
  row: ContactRow
  now: Date
  isOpen: boolean
  /** Another contact has the same display name: the username tells them apart. */
  isAmbiguous: boolean
}

export function Row({ row, now, isOpen, isAmbiguous }: Props) {
  const { contactUser } = row
  // Who is online now is known through the connection only.
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const isOnline = isConnected && contactUser.isOnline
  const { isDeleted } = contactUser
  const at = row.lastMessage?.createdAt ?? (isDeleted ? null : contactUser.lastSeen)
  const count = row.unreadCount > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : row.unreadCount
  return (
    <Link
      href={`/chat/${row.chatRoomId}`}
      className={`row ${isOpen ? 'on' : ''} ${row.unreadCount > 0 ? 'unread' : ''}`}
      aria-current={isOpen ? 'page' : undefined}
      data-room={row.chatRoomId}
    >
      <Avatar id={row.contactUserId} name={nameOf(row)} isOutlined={isDeleted}>
        {!isDeleted && <PresenceDot isOnline={isOnline} />}
      </Avatar>
      <div>
        <div className="l1">
          <span className="whose">
            <span className="name cut" dir="auto" title={isDeleted ? undefined : `${nameOf(row)} (@${contactUser.username})`}>
              {nameOf(row)}
            </span>
            {row.isVerified && !row.keyChanged && (
              <>
                <ShieldCheck className="i i-14" aria-hidden />
                <span className="sr">Verified</span>
              </>
            )}
          </span>
          <span className="sr">{isConnected && !isDeleted && (isOnline ? 'Online' : 'Offline')}</span>
          {row.hasUnreadNotifications && (
            <>
              <i className="red-dot" />
              <span className="sr">Unread notifications</span>
            </>
          )}
          {at && (
            <time dateTime={at}>
              <span className="sr">{row.lastMessage ? 'Last message' : 'Last seen'} </span>
              {relativeTime(new Date(at), now)}
            </time>
          )}
        </div>
        <div className="l2">
          <Line row={row} isAmbiguous={isAmbiguous} />
          {row.unreadCount > 0 && (
            <span className="count">
              {count}
              <span className="sr"> unread</span>
            </span>
          )}
        </div>
      </div>
    </Link>
  )
}

function Line({ row, isAmbiguous }: { row: ContactRow; isAmbiguous: boolean }) {
  const { isDeleted } = row.contactUser
  if (row.isTyping) return <span className="cut typing">typing…</span>
  if (row.keyChanged)
    return (
      <>
        <ShieldAlert className="i i-16 fail" aria-hidden />
        <span className="cut failed">Key changed, sending is blocked</span>
      </>
    )
  if (!row.preview)
    return (
      <span className="cut t3">
        {isDeleted ? 'No messages' : `@${row.contactUser.username}`}
        {!isDeleted && !row.contactUser.identityKey && ' · no device yet'}
      </span>
    )
  const { preview } = row
  const isFailed = preview.kind === 'failed'
  return (
    <>
      {isFailed ? <CircleAlert className="i i-16 fail" aria-hidden /> : <Ticks status={preview.status} />}
      <KindIcon kind={preview.kind} />
      <span className={isFailed ? 'cut failed' : 'cut'} dir="auto">
        {isAmbiguous && !isDeleted && <span className="t3">@{row.contactUser.username} · </span>}
        {isFailed && 'Not sent: '}
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
