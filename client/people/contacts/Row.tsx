import { BellOff, Pin, ShieldCheck } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { usePresence } from '../../me/privacy/usePresence.tsx'
import { isAwaited, isBlocked, isNotes } from '../../rooms/list/room.ts'
import { hasMissedCall, newestAt, type RoomRow } from '../../rooms/list/roomList.ts'
import type { Person } from '../../rooms/trust/people.ts'
import type { Stop } from '../../rooms/trust/refusedList.ts'
import { Avatar, PresenceDot } from '../../ui/Avatar.tsx'
import { NotesMark } from '../../ui/NotesMark.tsx'
import { relativeTime } from '../../ui/time.ts'
import { RowLine } from './RowLine.tsx'

interface Props {
  room: RoomRow
  /** What the room is called here. */
  name: string
  /** The other person of a direct room. */
  person: Person | undefined
  /** What stops sending to a member. */
  mismatch: Stop | null
  now: Date
  isOpen: boolean
  /** True if another contact has the same display name, so that the username is shown too. */
  isAmbiguous: boolean
  isPinned: boolean
  isMarkedUnread: boolean
}

/** A chat in the list. It is drawn again only where one of these has changed. */
export const Row = memo(function Row(props: Props) {
  const { room, name, person, mismatch, now, isOpen, isAmbiguous, isPinned, isMarkedUnread } = props
  const isDeleted = person?.isDeleted === true
  const presence = usePresence(room, person, now)
  const at = newestAt(room) ?? (isDeleted ? null : person?.lastSeen)
  const count = room.unreadCount > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : room.unreadCount
  return (
    <Link
      href={`/chat/${room.id}`}
      className={`row ${isOpen ? 'on' : ''} ${room.unreadCount > 0 || isMarkedUnread ? 'unread' : ''}`}
      aria-current={isOpen ? 'page' : undefined}
      data-room={room.id}
    >
      {isNotes(room) ? (
        <NotesMark />
      ) : (
        <Avatar
          id={person?.id ?? room.id}
          name={name}
          photo={person?.photo ?? null}
          isOutlined={isDeleted || isBlocked(room) || isAwaited(room)}
        >
          <PresenceDot isOnline={presence?.isOnline} />
        </Avatar>
      )}
      <div>
        <div className="l1">
          <span className="whose">
            <span className="name cut" dir="auto" title={isDeleted ? undefined : person ? `${name} (@${person.username})` : name}>
              {name}
            </span>
            {person?.isVerified && !person.mismatch && (
              <>
                <ShieldCheck className="i i-14" aria-hidden />
                <span className="sr">Verified</span>
              </>
            )}
          </span>
          <span className="sr">{presence?.words}</span>
          {isPinned && (
            <>
              <Pin className="i i-14 t3" aria-hidden />
              <span className="sr">Pinned</span>
            </>
          )}
          {room.mutedUntil && (
            <>
              <BellOff className="i i-14 t3" aria-hidden />
              <span className="sr">Muted</span>
            </>
          )}
          {room.unreadCount === 0 && hasMissedCall(room) && (
            <>
              <i className="red-dot" />
              <span className="sr">Not seen</span>
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
          <RowLine room={room} person={person} mismatch={mismatch} isOpen={isOpen} isAmbiguous={isAmbiguous} />
          {room.unreadCount > 0 ? (
            <span className={room.mutedUntil ? 'count still' : 'count'}>
              {count}
              <span className="sr"> unread</span>
            </span>
          ) : (
            isMarkedUnread && (
              <span className="count mark">
                <span className="sr">Marked as unread</span>
              </span>
            )
          )}
        </div>
      </div>
    </Link>
  )
})
