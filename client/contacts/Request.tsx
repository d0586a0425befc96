import { ChevronLeft, ShieldAlert, UserRoundPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { RoomRow } from '../rooms/list.ts'
import type { Person } from '../trust/people.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { showToast } from '../ui/toast.ts'
import { acceptContact, declineContact } from './contacts.ts'

interface Props {
  room: RoomRow
  /** The person who asks. */
  person: Person
  onAccepted?: (chatRoomId: string) => void
}

/** A contact request. Until it is accepted, it shows only the sender's username. */
export function Request({ room, person, onAccepted }: Props) {
  const { isPending, accept, decline } = useAnswer(room, onAccepted)
  const username = `@${person.username}`
  return (
    <div className="row req">
      <Avatar id={person.id} name={person.username} isOutlined />
      <div>
        <div className="l1">
          <Link href={`/chat/${room.id}`} className="name cut" title={username} data-room={room.id}>
            {username}
          </Link>
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
        <div className="l2">
          {person.mismatch && person.mismatch !== 'key_undecided' ? (
            <>
              <ShieldAlert className="i i-16 fail" aria-hidden />
              <span className="cut failed">You know somebody else as {username}</span>
            </>
          ) : (
            <>
              <UserRoundPlus className="i i-16" aria-hidden />
              <span className="cut">Wants to write to you</span>
            </>
          )}
        </div>
      </div>
    </div>
  )
}

/** The request as a panel in place of the conversation. */
export function RequestPanel({ room, person, onLeave }: Props & { onLeave: () => void }) {
  const { isPending, accept, decline } = useAnswer(room)
  return (
    <div className="centre asked">
      <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onLeave} />
      <Empty
        icon={UserRoundPlus}
        title={`@${person.username} wants to write to you`}
        text={
          person.mismatch && person.mismatch !== 'key_undecided'
            ? 'You know somebody else by this username: this is another account. Accept it only if you know why.'
            : 'They do not see whether you are online until you accept.'
        }
      >
        <div className="answers">
          <button type="button" className="btn outline" disabled={isPending} onClick={() => decline().then(onLeave)}>
            Ignore
          </button>
          <button type="button" className="btn primary" disabled={isPending} onClick={accept}>
            Accept
          </button>
        </div>
      </Empty>
    </div>
  )
}

function useAnswer(room: RoomRow, onAccepted?: (chatRoomId: string) => void) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  async function answer(verb: typeof acceptContact | typeof declineContact, then?: () => void) {
    setPending(true)
    try {
      await verb(env, room)
      then?.()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Error', text: failureWords(error) })
    } finally {
      setPending(false)
    }
  }
  return { isPending, accept: () => answer(acceptContact, () => onAccepted?.(room.id)), decline: () => answer(declineContact) }
}
