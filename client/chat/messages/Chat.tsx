import { MessagesSquare, ShieldCheck } from 'lucide-react'
import { type ComponentProps, lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useStore } from 'zustand'
import { isBlocked } from '../../rooms/list/room.ts'
import { type DirectRow, isShutRow } from '../../rooms/list/roomList.ts'
import { provenOf } from '../../rooms/log/showForks.ts'
import type { Choice } from '../../rooms/trust/ChooseKey.tsx'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { CallButtons } from '../callline/CallButtons.tsx'
import { MentionedContext, useMentioned } from '../mentions/mentionedContext.tsx'
import { ChatHeader } from './ChatHeader.tsx'
import { Composer } from './Composer.tsx'
import { NotLoaded } from './NotLoaded.tsx'
import './chat.css'
import { later } from '../../ui/later.tsx'
import { messagesStore, viewOf } from './store.ts'
import { Timeline } from './Timeline.tsx'

const PlanLine = later(async () => (await import('../../plan/plans/PlanLine.tsx')).PlanLine)
const UpgradeDialog = later(async () => (await import('../../plan/plans/UpgradeDialog.tsx')).UpgradeDialog)
const PinBar = later(async () => (await import('./PinBar.tsx')).PinBar)
const KeyLine = later(async () => (await import('./KeyLine.tsx')).KeyLine)
const DayDialog = later(async () => (await import('./DayDialog.tsx')).DayDialog)

const ChangedPerson = lazy(async () => ({ default: (await import('../../rooms/trust/ChangedPerson.tsx')).ChangedPerson }))

const RestartQuestion = lazy(async () => ({ default: (await import('../../rooms/log/RestartQuestion.tsx')).RestartQuestion }))

const ForkQuestion = lazy(async () => ({ default: (await import('../../rooms/log/ForkQuestion.tsx')).ForkQuestion }))

interface Props {
  room: DirectRow
  person: Person
  canSend: boolean
  /** The bar of the call that goes on in this chat. */
  call: ReactNode
  finder: ReactNode
  locked: ReactNode
  onBack: () => void
  onFind: () => void
  onRetry: () => void
  onDetails: () => void
  onMenu: ComponentProps<typeof ChatHeader>['onMenu']
  onAcceptChange: (person: Person, chosen?: Choice) => Promise<void>
  onFreed: () => void
  onUnblock: () => void
}

export function Chat(props: Props) {
  const {
    room,
    person,
    canSend,
    call,
    finder,
    locked,
    onBack,
    onFind,
    onRetry,
    onDetails,
    onMenu,
    onAcceptChange,
    onFreed,
    onUnblock,
  } = props
  // Only the timeline reads the messages: a new message renders nothing else.
  const hasRoomKeys = useStore(messagesStore, () => viewOf(room)?.isEncrypted ?? false)
  const hasMessages = useStore(messagesStore, () => (viewOf(room)?.messages.length ?? 0) > 0) && !isShutRow(room)
  const [upgrade, setUpgrade] = useState<'plans' | 'refused'>()
  const [pickedFrom, setPickedFrom] = useState<Date>()
  const isShut = isShutRow(room)
  const about = !person.isDeleted && <KeyLine person={person} />
  const refuse = useCallback(() => setUpgrade('refused'), [])
  const mentioned = useMentioned(person)
  return (
    <MentionedContext value={mentioned}>
      <ChatHeader
        room={room}
        person={person}
        hasRoomKeys={hasRoomKeys}
        onBack={onBack}
        onDetails={onDetails}
        onMenu={onMenu}
        onFind={hasMessages && room.lock === 'none' ? onFind : undefined}
        onDay={hasMessages ? () => setPickedFrom(new Date(viewOf(room)?.messages.at(-1)?.at ?? Date.now())) : undefined}
      />
      {call}
      {finder}
      {person.mismatch && about}
      {isShut ? (
        locked
      ) : (
        <OpenChat
          room={room}
          person={person}
          about={person.mismatch ? null : about}
          onRetry={onRetry}
          onUpgrade={refuse}
          onDay={setPickedFrom}
        />
      )}
      {person.mismatch && (
        <Suspense>
          <ChangedPerson person={person} mismatch={person.mismatch} onAccept={onAcceptChange} onDetails={onDetails} />
        </Suspense>
      )}
      {room.asksRestart && !room.isClosed && (
        <Suspense>
          <RestartQuestion room={room} onRestarted={onFreed} />
        </Suspense>
      )}
      {room.forks.length > 0 && !room.isClosed && (
        <Suspense>
          <ForkQuestion room={room} onAnswered={onFreed} />
        </Suspense>
      )}
      {(!canSend || history.state?.paid === 'yes') && !isShut && !room.isClosed && !isBlocked(room) && (
        <PlanLine canSend={canSend} onUpgrade={() => setUpgrade('plans')} />
      )}
      {room.isClosed ? (
        <p className="gone" role="status">
          This account was deleted. Nothing can be sent.
        </p>
      ) : isBlocked(room) ? (
        <p className="gone" role="status">
          You have blocked <bdi>{nameOf(person)}</bdi>. Nothing that they write reaches you.{' '}
          <button type="button" className="linkish" onClick={onUnblock}>
            Unblock
          </button>
        </p>
      ) : isShut ? null : (
        <Composer
          // React loses siblings with the same key, and the search above uses the room's id too.
          key={`compose ${room.id}`}
          room={room}
          hasPlan={canSend}
          isBlocked={person.mismatch !== null || provenOf(room.forks).length > 0 || room.asksRestart}
          onUpgrade={refuse}
        />
      )}
      {pickedFrom && <DayDialog room={room} from={pickedFrom} onClose={() => setPickedFrom(undefined)} />}
      {upgrade && <UpgradeDialog feature="messaging" isRefused={upgrade === 'refused'} onClose={() => setUpgrade(undefined)} />}
    </MentionedContext>
  )
}

interface OpenChatProps {
  room: DirectRow
  person: Person
  about: ReactNode
  onRetry: () => void
  onUpgrade: () => void
  onDay: (from: Date) => void
}

function OpenChat({ room, person, about, onRetry, onUpgrade, onDay }: OpenChatProps) {
  const view = useStore(messagesStore, () => viewOf(room))
  const name = nameOf(person)
  if (!view || (view.status === 'loading' && view.messages.length === 0)) return <Spinner words="Loading messages" />
  if (view.status === 'failed' && view.messages.length === 0) return <NotLoaded onRetry={onRetry} />
  if (view.messages.length === 0 && room.isClosed)
    return (
      <div className="centre">
        <Empty icon={MessagesSquare} title="No messages" />
      </div>
    )
  if (view.messages.length === 0)
    return (
      <>
        {about}
        <div className="centre">
          <Empty
            icon={person.identityKey ? ShieldCheck : MessagesSquare}
            title="Start a secure conversation"
            text={person.identityKey ? '' : `What you write waits on this device until ${name} opens Conclave in a browser.`}
          >
            <CallButtons chat={{ room, person }} hasWords />
          </Empty>
        </div>
      </>
    )
  const { comparedAt, isByCode } = person
  const { pins = [] } = view
  return (
    <>
      {pins.length > 0 && <PinBar {...{ room, pins, onUpgrade }} />}
      <Timeline key={room.id} {...{ room, view, name, comparedAt, isByCode, about, onUpgrade, onDay }} />
    </>
  )
}
