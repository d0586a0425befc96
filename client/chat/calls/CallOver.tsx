import { Phone } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { Avatar } from '../../ui/Avatar.tsx'
import { askCall } from '../callline/askCall.ts'
import { callStore } from './callState.ts'
import { dismissCall } from './calls.ts'
import { useCallPerson } from './useCallPerson.tsx'
import { canCallAgain, overTitle } from './viewWords.ts'

/** Why the call is over, and what can be done. */
export function CallOver({ onOpenChat }: { onOpenChat: (chatRoomId: string) => void }) {
  const { over, callType, chatRoomId } = useStore(callStore)
  const { person, chat, id, name, short } = useCallPerson()
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus(), [])
  if (!over) return null

  function leave() {
    dismissCall()
    if (chatRoomId) onOpenChat(chatRoomId)
  }

  function again() {
    dismissCall()
    if (chat) askCall(chat.room, callType ?? 'voice')
  }

  return (
    <div className="call-wait" data-over>
      <Avatar id={id} name={name} photo={person?.photo ?? null} size={120} />
      <Radix.Title dir="auto">{overTitle(over, short)}</Radix.Title>
      <p>{over.words}</p>
      <div className="call-acts">
        <button type="button" className="btn" ref={back} onClick={leave}>
          Back to the chat
        </button>
        {chat && canCallAgain(over) && (
          <button type="button" className="btn light" onClick={again}>
            <Phone className="i i-16" aria-hidden />
            Call again
          </button>
        )}
      </div>
    </div>
  )
}
