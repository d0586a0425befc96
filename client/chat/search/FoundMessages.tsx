import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import type { Room } from '../../rooms/list/room.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useFace } from '../../rooms/list/useFace.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { piecesOf } from '../../ui/textPieces.ts'
import { moment, relativeTime } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import type { FoundMessage } from '../../worker/crypto.ts'
import { jumpToMessage } from '../messages/messages.ts'
import { Reach } from './Reach.tsx'
import './search.css'
import { searchMessages } from './search.ts'
import { searchStore } from './store.ts'

interface Props {
  query: string
  /** True if contacts were found, which are shown above. */
  hasContacts: boolean
  /** The rooms to search. */
  rooms: Room[]
}

/** The list of matching messages, which is shown below the matching contacts. */
export function FoundMessages({ query, hasContacts, rooms }: Props) {
  const env = useEnv()
  const { isAnswered, messages, hasMore, isComplete, unloaded, failure, older } = useStore(searchStore)
  const ids = rooms.map(({ id }) => id).join()
  // New messages start the search again, so that they are found too.
  const news = `${rooms.reduce((sum, { lastSeq }) => sum + lastSeq, 0)} ${older?.done}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: news are an occasion to look again
  useEffect(() => void searchMessages(env, query, ids ? ids.split(',') : []), [env, query, ids, news])
  useEffect(() => () => void searchMessages(env, '', []), [env])

  const unsearched = useStore(roomsStore, (state) => rooms.filter(({ id }) => state.rooms.get(id)?.lock !== 'none').length)

  // The pressed button disappears with the last page, so the keyboard focus moves to the heading.
  const heading = useRef<HTMLHeadingElement>(null)
  const below = rooms.filter(({ id, lastSeq }) => lastSeq > 0 && unloaded.includes(id))
  const isWhole = below.length === 0 && !older
  const wasWhole = useRef(isWhole)
  useEffect(() => {
    if (isWhole && !wasWhole.current && document.activeElement === document.body) heading.current?.focus()
    wasWhole.current = isWhole
  }, [isWhole])

  const isEmpty = isAnswered && messages.length === 0 && isComplete && !failure
  return (
    <section className="found-messages" aria-labelledby="found-messages">
      {isEmpty && !hasContacts && <p>No contacts found</p>}
      <h2 id="found-messages" tabIndex={-1} ref={heading}>
        Messages
      </h2>
      <p className="sr" role="status">
        {isAnswered && !failure && countWords(messages.length, hasMore)}
      </p>
      {failure && <p role="alert">Search failed. {failure}</p>}
      {isEmpty && <p>No messages found</p>}
      {!isComplete && <p className="late">Reading the messages of this browser...</p>}
      <ul>
        {messages.map((message) => {
          const room = rooms.find(({ id }) => id === message.chatRoomId)
          return room && <Result key={`${room.id} ${message.seq}`} message={message} room={room} />
        })}
      </ul>
      {hasMore && <p>More than {messages.length}: type more</p>}
      {unsearched > 0 && (
        <p className="small t2">
          {unsearched === 1 ? '1 chat with a password is' : `${unsearched} chats with a password are`} left out.
        </p>
      )}
      <Reach rooms={below} />
    </section>
  )
}

function Result({ message, room }: { message: FoundMessage; room: Room }) {
  const env = useEnv()
  const now = useNow(60_000)
  const face = useFace(room)
  const at = new Date(message.at)

  function open() {
    jumpToMessage(env, room, message.seq).catch((error) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
  }

  if (!face) return null
  return (
    <li>
      <Link href={`/chat/${room.id}`} className="row" data-room={room.id} onClick={open}>
        <Avatar {...face} />
        <div>
          <div className="l1">
            <span className="name cut" dir="auto">
              {face.name}
            </span>
            <time dateTime={message.at} title={moment(at)}>
              {relativeTime(at, now)}
            </time>
          </div>
          <p className="words" dir="auto">
            {!message.isEncrypted && <span className="unsealed">{NOT_ENCRYPTED}: </span>}
            {message.senderId === room.ownId && <span className="t3">You: </span>}
            {piecesOf(message.text, message.marks).map(({ at: place, text, isMarked }) =>
              isMarked ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
            )}
          </p>
        </div>
      </Link>
    </li>
  )
}

function countWords(count: number, hasMore: boolean): string {
  if (hasMore) return `More than ${count} messages found`
  return count === 1 ? '1 message found' : `${count === 0 ? 'No' : count} messages found`
}
