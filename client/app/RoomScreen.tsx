import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { callStore } from '../chat/calls/callState.ts'
import { keepUntilLeft } from '../chat/chatlocks/relock.ts'
import { Chat } from '../chat/messages/Chat.tsx'
import { hideRoom, showRoom } from '../chat/messages/messages.ts'
import { flush } from '../chat/messages/send.ts'
import { usePresence } from '../me/privacy/usePresence.tsx'
import { actStore, askAct } from '../people/contacts/acts.ts'
import { isAwaited } from '../rooms/list/room.ts'
import { type DirectRow, isShutRow } from '../rooms/list/roomList.ts'
import { isOtherState } from '../rooms/log/otherState.ts'
import { lostBookStore } from '../rooms/trust/book.ts'
import type { Choice } from '../rooms/trust/ChooseKey.tsx'
import { BESIDE, closeDetails, detailsStore, isShown, openDetails } from '../rooms/trust/details.ts'
import { nameOf, type Person } from '../rooms/trust/people.ts'
import { acceptChange } from '../rooms/trust/verified.ts'
import { EarlyField } from '../ui/Early.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { later } from '../ui/later.tsx'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'
import { useMedia } from '../ui/useMedia.tsx'

const ContactPanel = later(async () => (await import('../rooms/trust/ContactPanel.tsx')).ContactPanel)

const ContactButtons = later(async () => (await import('../people/contacts/ContactButtons.tsx')).ContactButtons)
const MuteSection = later(async () => (await import('../alerts/notifications/MuteSection.tsx')).MuteSection)

const LockedChat = later(async () => (await import('../chat/chatlocks/LockedChat.tsx')).LockedChat)
const LockSection = later(async () => (await import('../chat/chatlocks/LockSection.tsx')).LockSection)

const RowMenu = later(async () => (await import('../people/contacts/RowMenu.tsx')).RowMenu)

const CallBar = later(async () => (await import('../chat/calls/CallBar.tsx')).CallBar)
const FindBar = later(async () => (await import('../chat/search/FindBar.tsx')).FindBar, EarlyField)

interface Props {
  room: DirectRow
  person: Person
  /** True if the user's plan allows sending. */
  canSend: boolean
  onBack: () => void
}

/** Shows the chat with one person, and hides it when another one is opened. */
export function RoomScreen({ room, person, canSend, onBack }: Props) {
  const env = useEnv()
  const latest = useLatest(room)
  const [attempt, setAttempt] = useState(0)
  const openFor = useStore(detailsStore, ({ chatRoomId }) => chatRoomId)
  const isBeside = useMedia(BESIDE)
  const isCallHere = useStore(callStore, (call) => call.isMinimised && call.chatRoomId === room.id)
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room, another attempt or a book shows it; news of the room does not
  useEffect(() => {
    showRoom(env, latest.current).catch((error) => {
      // The page or the chat says these itself, and asks.
      if (!lostBookStore.getState().isLost && !isOtherState(error))
        showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
    })
    return hideRoom
  }, [env, room.id, attempt, isBookLost, isShutRow(room)])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat or its lock, not news of the room
  useEffect(() => (room.lock === 'open' ? keepUntilLeft(env, latest.current) : undefined), [env, room.id, room.lock])

  const free = () => void flush(env, room)
  // Counts the times that the search was asked for: asked for again, it takes the focus again.
  const [finds, setFinds] = useState(0)
  // A chat with a password is not searched.
  const isSearched = room.lock === 'none'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room begins without a search
  useEffect(() => setFinds(0), [room.id, isSearched])
  const [menuAt, setMenuAt] = useState<{ x: number; y: number }>()
  useEffect(() => {
    void FindBar.preload()
    void RowMenu.preload()
  }, [])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f'
      if (!isFind || !isSearched || document.querySelector('[role=dialog], [role=alertdialog]')) return
      event.preventDefault()
      setFinds((count) => count + 1)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [isSearched])

  async function accept(changed: Person, chosen?: Choice) {
    await acceptChange(env, changed, chosen)
    // Messages that waited for this decision are sent now.
    free()
  }

  return (
    <div className="chat-frame">
      <div className="chat-col">
        <Chat
          room={room}
          person={person}
          canSend={canSend}
          call={isCallHere && <CallBar />}
          finder={finds > 0 && <FindBar key={`find ${room.id}`} room={room} asked={finds} onClose={() => setFinds(0)} />}
          locked={<LockedChat room={room} onAsk={(act) => askAct(act, room.id)} />}
          onBack={onBack}
          onFind={() => setFinds((count) => count + 1)}
          onRetry={() => setAttempt(attempt + 1)}
          onDetails={() => openDetails(room.id)}
          onMenu={setMenuAt}
          onAcceptChange={accept}
          onFreed={free}
          onUnblock={() => askAct('unblock', room.id)}
        />
      </div>
      {menuAt && <RowMenu chat={{ room, person }} at={menuAt} onOpen={() => undefined} onClose={() => setMenuAt(undefined)} />}
      {isShown(openFor, room.id, isBeside) && !person.isDeleted && (
        <Details key={person.id} room={room} person={person} onFreed={free} />
      )}
    </div>
  )
}

const REQUESTED = { isOnline: null, words: 'Request sent' }

/** Apart from the screen, which is not drawn again as time passes. */
function Details({ room, person, onFreed }: Pick<Props, 'room' | 'person'> & { onFreed: () => void }) {
  const presence = usePresence(room, person, useNow())
  const isCovered = useStore(actStore, ({ asked }) => asked !== null)
  return (
    <ContactPanel
      person={person}
      presence={presence ?? (isAwaited(room) ? REQUESTED : undefined)}
      onClose={closeDetails}
      onFreed={onFreed}
      isCovered={isCovered}
    >
      <MuteSection room={room} name={nameOf(person)} />
      <LockSection room={room} onAsk={(act) => askAct(act, room.id)} />
      <ContactButtons room={room} />
    </ContactPanel>
  )
}
