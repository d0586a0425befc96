import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { Chat } from '../messages/Chat.tsx'
import { hideRoom, showRoom } from '../messages/messages.ts'
import { flush } from '../messages/send.ts'
import type { RoomRow } from '../rooms/list.ts'
import { isOtherState } from '../rooms/otherstate.ts'
import { lostBookStore } from '../trust/book.ts'
import type { Choice } from '../trust/ChooseKey.tsx'
import { BESIDE, closeDetails, detailsStore, isShown, openDetails } from '../trust/details.ts'
import type { Person } from '../trust/people.ts'
import { acceptChange } from '../trust/verified.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { later } from '../ui/later.tsx'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'
import { useMedia } from '../ui/useMedia.tsx'

const ContactPanel = later(async () => (await import('../trust/ContactPanel.tsx')).ContactPanel)

const FindBar = later(async () => (await import('../search/FindBar.tsx')).FindBar)

interface Props {
  room: RoomRow
  person: Person
  /** True if the user's plan allows sending. */
  canSend: boolean
  onBack: () => void
}

/** Shows the conversation with one person, and hides it when another one is opened. */
export function RoomScreen({ room, person, canSend, onBack }: Props) {
  const env = useEnv()
  const latest = useLatest(room)
  const [attempt, setAttempt] = useState(0)
  const openFor = useStore(detailsStore, ({ chatRoomId }) => chatRoomId)
  const isBeside = useMedia(BESIDE)
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room, another attempt or a book shows it; news of the room does not
  useEffect(() => {
    showRoom(env, latest.current).catch((error) => {
      // The page or the chat says these itself, and asks.
      if (!lostBookStore.getState().isLost && !isOtherState(error))
        showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
    })
    return hideRoom
  }, [env, room.id, attempt, isBookLost])

  const free = () => void flush(env, room)
  // Counts the times that the search was asked for: asked for again, it takes the focus again.
  const [finds, setFinds] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room begins without a search
  useEffect(() => setFinds(0), [room.id])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f'
      if (!isFind || document.querySelector('[role=dialog], [role=alertdialog]')) return
      event.preventDefault()
      setFinds((count) => count + 1)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
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
          finder={finds > 0 && <FindBar key={room.id} room={room} asked={finds} onClose={() => setFinds(0)} />}
          onBack={onBack}
          onFind={() => setFinds((count) => count + 1)}
          onRetry={() => setAttempt(attempt + 1)}
          onDetails={() => openDetails(room.id)}
          onAcceptChange={accept}
          onFreed={free}
        />
      </div>
      {isShown(openFor, room.id, isBeside) && !person.isDeleted && (
        <ContactPanel key={person.id} person={person} onClose={closeDetails} onFreed={free} />
      )}
    </div>
  )
}
