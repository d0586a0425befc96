import { useEffect, useState } from 'react'
import { Chat } from '../messages/Chat.tsx'
import { hideRoom, showRoom } from '../messages/messages.ts'
import { flush } from '../messages/send.ts'
import type { RoomRow } from '../rooms/list.ts'
import type { Choice } from '../trust/ChooseKey.tsx'
import type { Person } from '../trust/people.ts'
import { acceptChange } from '../trust/verified.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'

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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room or another attempt shows it; news of the room does not
  useEffect(() => {
    showRoom(env, latest.current).catch((error) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
    return hideRoom
  }, [env, room.id, attempt])

  async function accept(changed: Person, chosen?: Choice) {
    await acceptChange(env, changed, chosen)
    // Messages that waited for this decision are sent now.
    void flush(env, room)
  }

  return (
    <Chat
      room={room}
      person={person}
      canSend={canSend}
      onBack={onBack}
      onRetry={() => setAttempt(attempt + 1)}
      onAcceptChange={accept}
      onFreed={() => void flush(env, room)}
    />
  )
}
