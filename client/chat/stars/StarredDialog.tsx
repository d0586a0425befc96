import { Star, StarOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { marksStore } from '../../rooms/list/marks.ts'
import { faceOf } from '../../rooms/list/members.ts'
import { isShutRow, type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { moment, relativeTime } from '../../ui/time.ts'
import type { Quoted } from '../../worker/crypto.ts'
import { setStar } from '../messages/setStars.ts'
import { showQuoted } from '../messages/showQuoted.ts'
import { type StarredMessage, starsIn } from '../messages/stars.ts'
import { useShowChat } from '../messages/useShowChat.tsx'
import './starred.css'

/** Lines that are added at once. */
const STEP = 50

interface Props {
  /** Undefined for all chats. */
  room?: RoomRow
  onClose: () => void
}

/** The starred messages of a chat, or of all. */
export function StarredDialog({ room, onClose }: Props) {
  const marks = useStore(marksStore, (state) => state.marks)
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const [wanted, setWanted] = useState(STEP)
  const isShut = room !== undefined && isShutRow(rooms.get(room.id) ?? room)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the chat is locked
  useEffect(() => {
    if (isShut) onClose()
  }, [isShut])
  const all = starsIn(marks).flatMap((star) => {
    const row = rooms.get(star.chatRoomId)
    const isHere = row !== undefined && star.at > row.clearedSeq && (room === undefined || room.id === row.id)
    return isHere ? [{ star, row }] : []
  })
  const open = all.filter(({ row }) => !isShutRow(row))
  if (isShut) return null
  return (
    <Dialog
      title="Starred messages"
      text={room ? 'Only you see what you star.' : 'Of all your chats. Only you see what you star.'}
      onClose={onClose}
    >
      {open.length === 0 ? (
        <Empty icon={Star} title="No starred messages" text="Open the menu of a message, or press S on it." />
      ) : (
        <ul className="starred-list">
          {open.slice(0, wanted).map(({ star, row }) => (
            <Starred
              key={`${star.chatRoomId} ${star.senderId} ${star.id}`}
              {...{ star, row, onClose }}
              hasChat={room === undefined}
            />
          ))}
        </ul>
      )}
      {open.length > wanted && (
        <button type="button" className="btn outline" onClick={() => setWanted(wanted + STEP)}>
          Show more
        </button>
      )}
      {open.length < all.length && <p className="small t2">Chats with a password are left out until you open them.</p>}
    </Dialog>
  )
}

interface StarredProps {
  star: StarredMessage
  row: RoomRow
  hasChat: boolean
  onClose: () => void
}

function Starred({ star, row, hasChat, onClose }: StarredProps) {
  const env = useEnv()
  const now = useNow(60_000)
  const showChat = useShowChat(onClose)
  const people = useStore(peopleStore, (state) => state.people)
  const [said, setSaid] = useState<Quoted['said'] | null>(null)
  const { chatRoomId, senderId, id } = star
  const news = row.lastSeq
  // biome-ignore lint/correctness/useExhaustiveDependencies: an edit changes the words
  useEffect(() => {
    let isGone = false
    env.crypto.quoted({ chatRoomId, senderId, id }).then(
      (found) => isGone || setSaid(found.said),
      // It may have been locked just now.
      () => isGone || setSaid(undefined),
    )
    return () => {
      isGone = true
    }
  }, [env, chatRoomId, senderId, id, news])

  function show() {
    showChat(chatRoomId)
    void showQuoted(env, row, { senderId, id, words: '' })
  }
  const name = faceOf(row, people)?.name ?? ''
  const author = senderId === row.ownId ? 'You' : name
  return (
    <li>
      <button type="button" onClick={show}>
        <span className="l1">
          <span className="name cut" dir="auto">
            {hasChat ? name : author}
          </span>
          {said && (
            <time dateTime={said.at} title={moment(new Date(said.at))}>
              {relativeTime(new Date(said.at), now)}
            </time>
          )}
        </span>
        <span className="starred-words" dir="auto">
          {hasChat && senderId === row.ownId && said && <span className="t3">You: </span>}
          {said ? said.words : said === undefined && <i className="t2">Not on this browser, or deleted</i>}
        </span>
      </button>
      <IconButton icon={StarOff} label="Take the star away" isTight onClick={() => void setStar(env, star, false)} />
    </li>
  )
}
