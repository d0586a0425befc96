import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { Quote } from '../../../contract/chat/content.ts'
import { nameOf, peopleStore } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { withoutMarks } from '../../ui/textPieces.ts'
import { isClosed } from '../../worker/crypto.ts'
import { openRoom } from './openRoom.ts'
import './quoted.css'
import { showQuoted } from './showQuoted.ts'

export function useQuotedName({ senderId }: Quote): string {
  const person = useStore(peopleStore, ({ people }) => people.get(senderId))
  return openRoom()?.ownId === senderId ? 'You' : person ? nameOf(person) : 'Somebody'
}

/** What a message replies to, in the words of whoever quotes it. A press shows the quoted message. */
export function Quoted({ quote }: { quote: Quote }) {
  const env = useEnv()
  const name = useQuotedName(quote)
  const { senderId, id, words } = quote
  const [standing, setStanding] = useState<'same' | 'other' | 'absent'>('same')
  useEffect(() => {
    let isShown = true
    const chatRoomId = openRoom()?.id
    if (chatRoomId === undefined) return
    env.crypto.quoted({ chatRoomId, senderId, id }).then(
      ({ said }) => isShown && setStanding(!said ? 'absent' : said.words === words ? 'same' : 'other'),
      (error: unknown) => {
        if (!isClosed(error)) throw error
      },
    )
    return () => {
      isShown = false
    }
  }, [env, senderId, id, words])

  function show() {
    const room = openRoom()
    if (room) void showQuoted(env, room, quote)
  }

  return (
    <button type="button" className="quoted" onClick={show}>
      <b>
        <span className="sr">Reply to </span>
        <bdi>{name}</bdi>
        {REMARKS[standing]}
      </b>{' '}
      <span dir="auto">{withoutMarks(words)}</span>
    </button>
  )
}

/** Nobody but the quoting person says that these words were said. */
const REMARKS = { same: '', other: ' · says something else', absent: ' · as quoted' }
