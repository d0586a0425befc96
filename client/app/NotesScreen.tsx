import { Bookmark, CalendarDays, ChevronLeft, Search, Shield, Star } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useStore } from 'zustand'
import { NOTES_LIMITS } from '../../contract/chat/messages.ts'
import { Composer } from '../chat/messages/Composer.tsx'
import { NotLoaded } from '../chat/messages/NotLoaded.tsx'
import { flush } from '../chat/messages/send.ts'
import { messagesStore, viewOf } from '../chat/messages/store.ts'
import { Timeline } from '../chat/messages/Timeline.tsx'
import { NOTES } from '../rooms/list/room.ts'
import type { RoomRow } from '../rooms/list/roomList.ts'
import { provenOf } from '../rooms/log/showForks.ts'
import { EarlyField } from '../ui/Early.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { NotesMark } from '../ui/NotesMark.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { useFind } from './useFind.tsx'
import { useShownRoom } from './useShownRoom.tsx'
import '../chat/messages/chat.css'
import '../chat/messages/header.css'

const FindBar = later(async () => (await import('../chat/search/FindBar.tsx')).FindBar, EarlyField)
const UpgradeDialog = later(async () => (await import('../plan/plans/UpgradeDialog.tsx')).UpgradeDialog)
const DayDialog = later(async () => (await import('../chat/messages/DayDialog.tsx')).DayDialog)
const StarredDialog = later(async () => (await import('../chat/stars/StarredDialog.tsx')).StarredDialog)
const RestartQuestion = lazy(async () => ({ default: (await import('../rooms/log/RestartQuestion.tsx')).RestartQuestion }))
const ForkQuestion = lazy(async () => ({ default: (await import('../rooms/log/ForkQuestion.tsx')).ForkQuestion }))

interface Props {
  room: RoomRow
  /** True if the user's plan allows writing to others. */
  canSend: boolean
  onBack: () => void
}

/** Shows what one has written to oneself. */
export function NotesScreen({ room, canSend, onBack }: Props) {
  const env = useEnv()
  const retry = useShownRoom(room)
  const { finds, find, endFind } = useFind(room.id, true)
  const hasMessages = useStore(messagesStore, () => (viewOf(room)?.messages.length ?? 0) > 0)
  const [pickedFrom, setPickedFrom] = useState<Date>()
  const [isRefused, setRefused] = useState(false)
  const [showsStars, setShowsStars] = useState(false)
  const refuse = () => setRefused(true)
  const free = () => void flush(env, room)
  return (
    <div className="chat-frame">
      <div className="chat-col">
        <header className="head">
          <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onBack} />
          <div className="whom">
            <NotesMark size={40} />
            <div className="cut">
              <h1 className="cut" tabIndex={-1} data-chat-title>
                {NOTES}
              </h1>
              <p className="small t2 cut">
                On all your browsers{canSend ? '' : ` · up to ${NOTES_LIMITS.aMonth} texts a month without a plan`}
              </p>
            </div>
          </div>
          <span className="trust plain">
            <Shield className="i i-14" aria-hidden />
            <span>Only you</span>
          </span>
          <span className="chat-tools">
            <IconButton icon={Star} label="Starred messages" onClick={() => setShowsStars(true)} />
            {hasMessages && <IconButton icon={Search} label="Search in this chat" onClick={find} />}
            {hasMessages && (
              <IconButton
                icon={CalendarDays}
                label="Go to a day"
                className="to-day"
                onClick={() => setPickedFrom(new Date(viewOf(room)?.messages.at(-1)?.at ?? Date.now()))}
              />
            )}
          </span>
        </header>
        {finds > 0 && <FindBar room={room} asked={finds} onClose={endFind} />}
        <Notes room={room} onRetry={retry} onUpgrade={refuse} onDay={setPickedFrom} />
        <Suspense>
          {room.asksRestart && <RestartQuestion room={room} onRestarted={free} />}
          {room.forks.length > 0 && <ForkQuestion room={room} onAnswered={free} />}
        </Suspense>
        <Composer
          room={room}
          hasPlan={canSend}
          isBlocked={provenOf(room.forks).length > 0 || room.asksRestart}
          onUpgrade={refuse}
        />
        {pickedFrom && <DayDialog room={room} from={pickedFrom} onClose={() => setPickedFrom(undefined)} />}
        {showsStars && <StarredDialog onClose={() => setShowsStars(false)} />}
        {isRefused && <UpgradeDialog feature="messaging" isRefused onClose={() => setRefused(false)} />}
      </div>
    </div>
  )
}

interface NotesProps {
  room: RoomRow
  onRetry: () => void
  onUpgrade: () => void
  onDay: (from: Date) => void
}

const ABOUT = 'Only you read this, on every browser of yours.'

function Notes({ room, onRetry, onUpgrade, onDay }: NotesProps) {
  const view = useStore(messagesStore, () => viewOf(room))
  if (!view || (view.status === 'loading' && view.messages.length === 0)) return <Spinner words="Loading messages" />
  if (view.status === 'failed' && view.messages.length === 0) return <NotLoaded onRetry={onRetry} />
  if (view.messages.length === 0)
    return (
      <div className="centre">
        <Empty icon={Bookmark} title="Write to yourself" text={ABOUT} />
      </div>
    )
  const about = (
    <p className="via">
      <Bookmark className="i i-14" aria-hidden />
      <span>{ABOUT}</span>
    </p>
  )
  return <Timeline key={room.id} {...{ room, view, about, onUpgrade, onDay }} name={NOTES} comparedAt={null} isByCode={false} />
}
