import {
  CalendarDays,
  ChevronLeft,
  ChevronRight,
  EllipsisVertical,
  LoaderCircle,
  LockKeyhole,
  Search,
  Shield,
  ShieldAlert,
  ShieldCheck,
  WifiOff,
} from 'lucide-react'
import { useStore } from 'zustand'
import { lifetimeWords } from '../../../contract/chat/lifetimewords.ts'
import { usePresence } from '../../me/privacy/usePresence.tsx'
import { connectionStore } from '../../net/status.ts'
import { isAwaited, isBlocked } from '../../rooms/list/room.ts'
import { type DirectRow, isShutRow } from '../../rooms/list/roomList.ts'
import { provenOf } from '../../rooms/log/showForks.ts'
import { lostBookStore } from '../../rooms/trust/book.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { stopOf, type Trust, trustOf } from '../../rooms/trust/trustPill.ts'
import { Avatar, PresenceDot } from '../../ui/Avatar.tsx'
import { useNow } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useOnline } from '../../ui/useOnline.tsx'
import { CallButtons } from '../callline/CallButtons.tsx'
import { messagesStore, viewOf } from './store.ts'
import './header.css'

interface Props {
  room: DirectRow
  person: Person
  hasRoomKeys: boolean
  onBack: () => void
  onDetails: () => void
  /** Asks for what can be done with the chat, at a point of the window. */
  onMenu: (at: { x: number; y: number }) => void
  /** Both are undefined while the room has no message. */
  onFind: (() => void) | undefined
  onDay: (() => void) | undefined
}

export function ChatHeader({ room, person, hasRoomKeys, onBack, onDetails, onMenu, onFind, onDay }: Props) {
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  const isOnline = useOnline()
  const timer = useStore(messagesStore, () => viewOf(room)?.timer ?? 0)
  const name = nameOf(person)
  const presence = usePresence(room, person, useNow())
  const status = isConnected ? (statusOf(room) ?? presence?.words) : undefined
  const trust = trustOf({
    person,
    connection: isConnected ? 'open' : isOnline ? 'connecting' : 'offline',
    stop: stopOf(person, { isForked: provenOf(room.forks).length > 0, asksRestart: room.asksRestart, isBookLost }),
    isLocked: isShutRow(room),
    hasKeys: hasRoomKeys,
  })
  return (
    <header className="head">
      <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onBack} />
      <div className="whom">
        <Avatar
          id={person.id}
          name={name}
          photo={person.photo}
          size={40}
          isOutlined={person.isDeleted || isBlocked(room) || isAwaited(room)}
        >
          <PresenceDot isOnline={presence?.isOnline} />
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
              {status && (
                <span className={room.isTyping ? 'typing' : undefined} role={room.isTyping ? 'status' : undefined}>
                  {status}
                </span>
              )}
              <span className="handle">
                {status && ' · '}@{person.username}
              </span>
              {timer > 0 && <span> · disappear after {lifetimeWords(timer)}</span>}
            </p>
          )}
        </div>
      </div>
      {!person.isDeleted && <Pill trust={trust} onDetails={onDetails} />}
      <span className="chat-tools">
        {onFind && <IconButton icon={Search} label="Search in this chat" onClick={onFind} />}
        {onDay && <IconButton icon={CalendarDays} label="Go to a day" className="to-day" onClick={onDay} />}
        <CallButtons chat={{ room, person }} />
        <IconButton
          icon={EllipsisVertical}
          label="More"
          onClick={({ currentTarget }) => {
            const { left: x, bottom: y } = currentTarget.getBoundingClientRect()
            onMenu({ x, y })
          }}
        />
      </span>
    </header>
  )
}

const ICONS = { plain: Shield, ok: ShieldCheck, danger: ShieldAlert, wait: LoaderCircle }

function Pill({ trust: { tone, state, mark }, onDetails }: { trust: Trust; onDetails: () => void }) {
  const Icon = state === 'You are offline' ? WifiOff : state === 'Locked' ? LockKeyhole : ICONS[tone]
  return (
    <button type="button" className={`trust ${tone}`} aria-haspopup="dialog" onClick={onDetails}>
      <Icon className="i i-14" aria-hidden />
      <span>
        <span className="state">
          {state}
          {state && mark && ' · '}
        </span>
        {mark && <em>{mark}</em>}
      </span>
      <ChevronRight className="i i-14" aria-hidden />
    </button>
  )
}

function statusOf(room: DirectRow): string | undefined {
  if (room.isTyping) return 'typing…'
  if (isBlocked(room)) return 'Blocked'
  return isAwaited(room) ? 'Request sent' : undefined
}
