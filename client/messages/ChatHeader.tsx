import { CalendarDays, ChevronLeft, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { connectionStore } from '../net/status.ts'
import { nameOf, type Person } from '../trust/people.ts'
import { Avatar, PresenceDot } from '../ui/Avatar.tsx'
import { useNow } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { lastSeen } from '../ui/time.ts'
import './header.css'

interface Props {
  person: Person
  isTyping: boolean
  hasRoomKeys: boolean
  onBack: () => void
  onSafety: () => void
  /** undefined while the room has no day to jump to. */
  onDay: (() => void) | undefined
}

export function ChatHeader({ person, isTyping, hasRoomKeys, onBack, onSafety, onDay }: Props) {
  const [isWhole, setWhole] = useState(false)
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const name = nameOf(person)
  const isEncrypted = isConnected && hasRoomKeys && !person.mismatch && !person.isDeleted
  return (
    <header className="head">
      <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onBack} />
      <Avatar id={person.id} name={name} size={40} isOutlined={person.isDeleted}>
        {!person.isDeleted && <PresenceDot isOnline={isConnected && person.isOnline} />}
      </Avatar>
      <div className={isWhole ? 'whom whole' : 'cut whom'}>
        <h1 className="cut" dir="auto" title={name} tabIndex={-1} data-chat-title>
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {name}
          </button>
        </h1>
        {!person.isDeleted && (
          <p className="small t2">
            <span className="cut">
              {/* Presence is unknown without a connection. */}
              {isConnected && <Presence person={person} isTyping={isTyping} />}
              <span className="handle">
                {isConnected && ' · '}@{person.username}
              </span>
            </span>
            {isEncrypted && <Encrypted className="enc-line" isVerified={person.isVerified} onSafety={onSafety} />}
          </p>
        )}
      </div>
      {isEncrypted && <Encrypted className="badge ok enc" isVerified={person.isVerified} onSafety={onSafety} />}
      {onDay && <IconButton icon={CalendarDays} label="Go to a day" onClick={onDay} />}
    </header>
  )
}

/** The "Encrypted" badge. It is rendered twice, at the right and under the name; the stylesheet shows one. */
function Encrypted({ className, isVerified, onSafety }: { className: string; isVerified: boolean; onSafety: () => void }) {
  return (
    <button type="button" className={className} aria-haspopup="dialog" title="Safety number" onClick={onSafety}>
      <ShieldCheck className="i i-14" aria-hidden />
      Encrypted
      {isVerified && ' · Verified'}
    </button>
  )
}

function Presence({ person, isTyping }: { person: Person; isTyping: boolean }) {
  const now = useNow()
  if (isTyping)
    return (
      <span className="typing" role="status">
        typing…
      </span>
    )
  if (person.isOnline) return 'Online'
  return `Last seen ${lastSeen(person.lastSeen ? new Date(person.lastSeen) : null, now)}`
}
