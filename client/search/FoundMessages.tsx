import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import type { FoundMessage } from '../crypto/crypto.ts'
import { jumpToMessage } from '../messages/messages.ts'
import { type ContactRow, nameOf } from '../rooms/rows.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { moment, relativeTime } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import { markedParts } from './marked.ts'
import { Reach } from './Reach.tsx'
import './search.css'
import { lookFor } from './search.ts'
import { searchStore } from './store.ts'

interface Props {
  query: string
  /** Whose conversations are searched. */
  rows: ContactRow[]
}

/** What was said that has the words, below the contacts that have them. */
export function FoundMessages({ query, rows }: Props) {
  const env = useEnv()
  const { isAnswered, messages, hasMore, isComplete, unloaded, failure, older } = useStore(searchStore)
  const rooms = rows.map(({ chatRoomId }) => chatRoomId).join()
  // What comes in while the words stand there is looked at too.
  const news = `${rows.reduce((sum, { lastSeq }) => sum + lastSeq, 0)} ${older?.done}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: news are an occasion to look again
  useEffect(() => void lookFor(env, query, rooms ? rooms.split(',') : []), [env, query, rooms, news])
  useEffect(() => () => void lookFor(env, '', []), [env])

  // The button that was pressed goes with the last page: whoever is at the keyboard goes on from here.
  const heading = useRef<HTMLHeadingElement>(null)
  const below = rows.filter(({ chatRoomId, lastSeq }) => lastSeq > 0 && unloaded.includes(chatRoomId))
  const isWhole = below.length === 0 && !older
  const wasWhole = useRef(isWhole)
  useEffect(() => {
    if (isWhole && !wasWhole.current && document.activeElement === document.body) heading.current?.focus()
    wasWhole.current = isWhole
  }, [isWhole])

  const isEmpty = isAnswered && messages.length === 0 && isComplete && !failure
  return (
    <section className="found-messages" aria-labelledby="found-messages">
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
          const row = rows.find(({ chatRoomId }) => chatRoomId === message.chatRoomId)
          return row && <Result key={`${message.chatRoomId} ${message.seq}`} message={message} row={row} />
        })}
      </ul>
      {hasMore && <p>More than {messages.length}: type more</p>}
      <Reach rows={below} />
    </section>
  )
}

function Result({ message, row }: { message: FoundMessage; row: ContactRow }) {
  const env = useEnv()
  const now = useNow(60_000)
  const { chatRoomId, seq } = message
  const at = new Date(message.at)

  function open() {
    jumpToMessage(env, { chatRoomId, seq }).catch((error) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
  }

  return (
    <li>
      <Link href={`/chat/${chatRoomId}`} className="row" data-room={chatRoomId} onClick={open}>
        <Avatar id={row.contactUserId} name={nameOf(row)} />
        <div>
          <div className="l1">
            <span className="name cut" dir="auto">
              {nameOf(row)}
            </span>
            <time dateTime={message.at} title={moment(at)}>
              {relativeTime(at, now)}
            </time>
          </div>
          <p className="words" dir="auto">
            {message.senderId !== row.contactUserId && <span className="t3">You: </span>}
            {markedParts(message).map(({ at: place, text, isMarked }) =>
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
