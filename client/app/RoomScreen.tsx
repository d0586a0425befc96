import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { callStore } from '../chat/calls/callState.ts'
import { keepUntilLeft } from '../chat/chatlocks/relock.ts'
import { Chat } from '../chat/messages/Chat.tsx'
import { flush } from '../chat/messages/send.ts'
import { usePresence } from '../me/privacy/usePresence.tsx'
import { actStore, askAct } from '../people/contacts/acts.ts'
import { isAwaited } from '../rooms/list/room.ts'
import type { DirectRow } from '../rooms/list/roomList.ts'
import type { Choice } from '../rooms/trust/ChooseKey.tsx'
import { BESIDE, closeDetails, detailsStore, isShown, openDetails } from '../rooms/trust/details.ts'
import { nameOf, type Person } from '../rooms/trust/people.ts'
import { acceptChange } from '../rooms/trust/verified.ts'
import { EarlyField } from '../ui/Early.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import { later } from '../ui/later.tsx'
import { useLatest } from '../ui/useLatest.tsx'
import { useMedia } from '../ui/useMedia.tsx'
import { useFind } from './useFind.tsx'
import { useShownRoom } from './useShownRoom.tsx'

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
  const openFor = useStore(detailsStore, ({ chatRoomId }) => chatRoomId)
  const isBeside = useMedia(BESIDE)
  const isCallHere = useStore(callStore, (call) => call.isMinimised && call.chatRoomId === room.id)
  const retry = useShownRoom(room)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat or its lock, not news of the room
  useEffect(() => (room.lock === 'open' ? keepUntilLeft(env, latest.current) : undefined), [env, room.id, room.lock])

  const free = () => void flush(env, room)
  // A chat with a password is not searched.
  const isSearched = room.lock === 'none'
  const { finds, find, endFind } = useFind(room.id, isSearched)
  const [menuAt, setMenuAt] = useState<{ x: number; y: number }>()
  useEffect(() => {
    void FindBar.preload()
    void RowMenu.preload()
  }, [])
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
          finder={finds > 0 && <FindBar key={`find ${room.id}`} room={room} asked={finds} onClose={endFind} />}
          locked={<LockedChat room={room} onAsk={(act) => askAct(act, room.id)} />}
          onBack={onBack}
          onFind={find}
          onRetry={retry}
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
