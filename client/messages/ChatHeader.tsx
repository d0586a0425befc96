import {
  CalendarDays,
  ChevronLeft,
  ChevronRight,
  LoaderCircle,
  Search,
  Shield,
  ShieldAlert,
  ShieldCheck,
  WifiOff,
} from 'lucide-react'
import { useStore } from 'zustand'
import { connectionStore } from '../net/status.ts'
import type { RoomRow } from '../rooms/list.ts'
import { isAwaited } from '../rooms/room.ts'
import { nameOf, type Person } from '../trust/people.ts'
import { type Trust, trustOf } from '../trust/pill.ts'
import { Avatar, PresenceDot } from '../ui/Avatar.tsx'
import { useNow, useOnline } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { lastSeen } from '../ui/time.ts'
import './header.css'

interface Props {
  room: RoomRow
  person: Person
  hasRoomKeys: boolean
  onBack: () => void
  onDetails: () => void
  /** Both are undefined while the room has no message. */
  onFind: (() => void) | undefined
  onDay: (() => void) | undefined
}

/** Who one talks to, and one statement about trust. Both lead to the contact panel. */
export function ChatHeader({ room, person, hasRoomKeys, onBack, onDetails, onFind, onDay }: Props) {
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const isOnline = useOnline()
  const name = nameOf(person)
  // Of somebody who has not answered nothing is known.
  const isUnknown = person.isDeleted || isAwaited(room, person)
  const trust = trustOf({
    person,
    connection: isConnected ? 'open' : isOnline ? 'connecting' : 'offline',
    isForked: room.forks.length > 0,
    hasKeys: hasRoomKeys,
  })
  return (
    <header className="head">
      <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onBack} />
      <div className="whom">
        <Avatar id={person.id} name={name} size={40} isOutlined={isUnknown}>
          {!isUnknown && <PresenceDot isOnline={isConnected && person.isOnline} />}
        </Avatar>
        <div className="cut">
          <h1 className="cut" dir="auto" title={name} tabIndex={-1} data-chat-title>
            {person.isDeleted ? (
              name
            ) : (
              <button type="button" aria-haspopup="dialog" onClick={onDetails}>
                {name}
              </button>
            )}
          </h1>
          {!person.isDeleted && (
            <p className="small t2 cut">
              {/* Presence is unknown without a connection. */}
              {isConnected && <Presence room={room} person={person} />}
              <span className="handle">
                {isConnected && ' · '}@{person.username}
              </span>
            </p>
          )}
        </div>
      </div>
      {!person.isDeleted && <Pill trust={trust} onDetails={onDetails} />}
      {onFind && <IconButton icon={Search} label="Search in this chat" onClick={onFind} />}
      {onDay && <IconButton icon={CalendarDays} label="Go to a day" onClick={onDay} />}
    </header>
  )
}

const ICONS = { plain: Shield, ok: ShieldCheck, danger: ShieldAlert, wait: LoaderCircle }

function Pill({ trust: { tone, state, mark }, onDetails }: { trust: Trust; onDetails: () => void }) {
  const Icon = state === 'You are offline' ? WifiOff : ICONS[tone]
  return (
    <button type="button" className={`trust ${tone}`} aria-haspopup="dialog" onClick={onDetails}>
      <Icon className="i i-14" aria-hidden />
      <span>
        {state}
        {state && mark && ' · '}
        {mark && <em>{mark}</em>}
      </span>
      <ChevronRight className="i i-14" aria-hidden />
    </button>
  )
}

function Presence({ room, person }: Pick<Props, 'room' | 'person'>) {
  const now = useNow()
  if (room.isTyping)
    return (
      <span className="typing" role="status">
        typing…
      </span>
    )
  if (person.isOnline) return 'Online'
  if (isAwaited(room, person)) return 'Request sent'
  return person.lastSeen ? `Last seen ${lastSeen(new Date(person.lastSeen), now)}` : 'Offline'
}
