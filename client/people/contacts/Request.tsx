import { ShieldAlert, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import type { Person } from '../../rooms/trust/people.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { showToast } from '../../ui/toast.ts'
import { neighbourOf } from './neighbourOf.ts'
import { acceptContact, declineContact, restoreContact } from './requests.ts'
import { waitingWords } from './waitingWords.ts'

export interface RequestProps {
  room: DirectRow
  /** The person who asks. */
  person: Person
  onAccepted?: (chatRoomId: string) => void
}

/** True if the person knows another account by this username. */
export const isDoubtful = ({ mismatch }: Person): boolean => mismatch !== null && mismatch !== 'key_undecided'

/** A contact request. Until it is accepted, it shows only the sender's username. The whole row opens it. */
export function Request({ room, person, onAccepted }: RequestProps) {
  const { isPending, accept, decline } = useAnswer(room, person, onAccepted)
  const username = `@${person.username}`
  return (
    <div className="row req">
      <Avatar id={person.id} name={person.username} isOutlined />
      <div>
        <div className="l1">
          <Link href={`/chat/${room.id}`} className="name cut" title={username} data-room={room.id}>
            {username}
          </Link>
        </div>
        <div className="l2">
          {isDoubtful(person) ? (
            <>
              <ShieldAlert className="i i-16 fail" aria-hidden />
              <span className="cut failed">You know somebody else as {username}</span>
            </>
          ) : (
            <span className="cut">{waitingWords(room.unreadCount)}</span>
          )}
        </div>
      </div>
      <div className="ask">
        <button
          type="button"
          className="btn compact primary"
          disabled={isPending}
          aria-label={`Accept the request of ${username}`}
          onClick={accept}
        >
          Accept
        </button>
        <IconButton icon={X} label={`Ignore the request of ${username}`} isTight onClick={decline} />
      </div>
    </div>
  )
}

/** Accepting and ignoring a request. */
export function useAnswer(room: DirectRow, person: Person, onAccepted?: (chatRoomId: string) => void) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  async function attempt(work: () => Promise<void>) {
    setPending(true)
    try {
      await work()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) })
    } finally {
      setPending(false)
    }
  }

  const accept = () =>
    attempt(async () => {
      await acceptContact(env, room)
      onAccepted?.(room.id)
    })

  const restore = () => {
    restoreContact(env, room).catch((error) =>
      showToast({ tone: 'bad', title: 'The request did not come back', text: failureWords(error) }),
    )
  }

  const decline = () =>
    attempt(async () => {
      const focusNeighbour = neighbourOf(room.id)
      await declineContact(env, room)
      showToast({
        tone: 'plain',
        title: 'Request ignored',
        text: `@${person.username} is not told.`,
        action: { words: 'Undo', run: restore },
      })
      focusNeighbour()
    })

  return { isPending, accept, decline }
}
