import { Bell, BellOff, CircleAlert, CloudOff, LockKeyhole } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { connectionStore } from '../../net/status.ts'
import { fetchRooms, refreshRooms } from '../../rooms/list/loadRooms.ts'
import { peopleOf } from '../../rooms/list/members.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import { markAllRead } from '../../rooms/list/readMarks.ts'
import { isRequest } from '../../rooms/list/room.ts'
import { isNews, isShutRow, newestAt, type RoomRow, roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { useFace } from '../../rooms/list/useFace.tsx'
import { peopleStore } from '../../rooms/trust/people.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { relativeTime } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import './notifications.css'

interface Props {
  onSettings: () => void
  onClose: () => void
}

/** What waits unread, by person, the newest first. Each line leads to the first unread message there. */
export function BellPanel({ onSettings, onClose }: Props) {
  const env = useEnv()
  const status = useStore(roomsStore, (state) => state.status)
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const [isPending, setPending] = useState(false)
  const fresh = useMemo(() => sortRooms(rooms.values()).filter(isNews), [rooms])
  // Nobody has seen what came in a locked chat.
  const readable = fresh.filter((room) => !isShutRow(room))
  const locked = fresh.length - readable.length
  const quiet = [...rooms.values()].filter((room) => !isRequest(room) && room.unreadCount > 0 && room.mutedUntil !== null).length

  async function readAll() {
    setPending(true)
    try {
      await markAllRead(env, readable)
      // What is left says why.
      if (locked === 0) onClose()
      else setPending(false)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Not marked as read', text: failureWords(error) })
      // The rows say again what the server has.
      fetchRooms(
        env,
        readable.map(({ id }) => id),
      ).catch(() => undefined)
      setPending(false)
    }
  }

  return (
    <Dialog title="Notifications" onClose={onClose}>
      {!isConnected && status === 'ready' && (
        <Note icon={CloudOff} role="status">
          Not connected: what came since is missing here.
        </Note>
      )}
      {status === 'loading' && <Spinner words="Loading notifications" isVisible />}
      {status === 'failed' && (
        <div role="alert">
          <Empty icon={CircleAlert} title="Notifications could not be loaded">
            <button type="button" className="btn outline" onClick={() => void refreshRooms(env).catch(() => undefined)}>
              Try again
            </button>
          </Empty>
        </div>
      )}
      {status === 'ready' && fresh.length === 0 && (
        <Empty icon={Bell} title="Nothing new" text="Messages that you have not read yet stand here." />
      )}
      {fresh.length > 0 && (
        <ul className="fresh">
          {fresh.map((room, at) => (
            <Line key={room.id} room={room} isFirst={at === 0} onClose={onClose} />
          ))}
        </ul>
      )}
      {quiet > 0 && (
        <p className="small t2 quiet-chats">
          <BellOff className="i i-14" aria-hidden />
          {quiet === 1 ? '1 muted chat has unread messages.' : `${quiet} muted chats have unread messages.`}
        </p>
      )}
      {locked > 0 && (
        <p className="small t2 quiet-chats" role="status">
          <LockKeyhole className="i i-14" aria-hidden />
          {locked === 1
            ? '1 locked chat stays unread until you unlock it.'
            : `${locked} locked chats stay unread until you unlock them.`}
        </p>
      )}
      <footer className="bell-acts">
        <button
          type="button"
          className="btn quiet"
          onClick={() => {
            onClose()
            onSettings()
          }}
        >
          Settings
        </button>
        {readable.length > 0 && (
          <button type="button" className="btn outline" disabled={isPending || !isConnected} onClick={readAll}>
            {isPending ? 'Marking...' : 'Mark all as read'}
          </button>
        )}
      </footer>
    </Dialog>
  )
}

function Line({ room, isFirst, onClose }: { room: RoomRow; isFirst: boolean; onClose: () => void }) {
  const face = useFace(room)
  const isStopped = useStore(peopleStore, ({ people }) => peopleOf(room, people).some(({ mismatch }) => mismatch))
  const now = useNow()
  const createdAt = newestAt(room)
  if (!face || !createdAt) return null
  const count = room.unreadCount > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : room.unreadCount
  return (
    <li>
      <Link href={`/chat/${room.id}`} onClick={onClose} {...(isFirst && { 'data-first': '' })}>
        <Avatar {...face} size={36} />
        <span>
          <span className="fresh-who">
            <b className="cut" dir="auto">
              {face.name}
            </b>
            <time dateTime={createdAt}>{relativeTime(new Date(createdAt), now)}</time>
          </span>
          <span className="fresh-what">
            {isShutRow(room) ? <span className="cut t2">Locked</span> : <Words room={room} isStopped={isStopped} />}
            <span className="count">
              {count}
              <span className="sr"> unread</span>
            </span>
          </span>
        </span>
      </Link>
    </li>
  )
}

function Words({ room: { preview }, isStopped }: { room: RoomRow; isStopped: boolean }) {
  // The preview of a message of one's own that was not sent is no news of theirs.
  if (isStopped || !preview || preview.status !== null || preview.kind === 'failed')
    return <span className="cut t2">New message</span>
  return (
    <span className="cut t2" dir="auto">
      {preview.kind === 'plain' && <span className="bad">{NOT_ENCRYPTED}: </span>}
      {preview.text}
    </span>
  )
}
