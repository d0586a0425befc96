import { useStore } from 'zustand'
import { nameOf, peopleStore } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import './reactions.css'
import { openRoom } from './openRoom.ts'
import { react } from './reactions.ts'
import { sendAndReport } from './sendOutcome.ts'
import type { ShownMessage, ShownReaction } from './store.ts'

interface Props {
  message: ShownMessage
  reactions: ShownReaction[]
  onUpgrade: () => void
}

/** What people think of a message. A press gives the same, or takes it back. */
export function Reactions({ message, reactions, onUpgrade }: Props) {
  const env = useEnv()
  const people = useStore(peopleStore, (state) => state.people)
  const room = openRoom()
  const ownId = room?.ownId
  const namesOf = ({ userIds }: ShownReaction) => {
    const others = userIds.filter((id) => id !== ownId).map((id) => nameIn(people.get(id)))
    return [...(userIds.length > others.length ? ['You'] : []), ...others].join(' and ')
  }
  return (
    <ul className="reactions" aria-label="Reactions">
      {reactions.map((reaction) => {
        const { emoji, userIds } = reaction
        const isMine = ownId !== undefined && userIds.includes(ownId)
        return (
          <li key={emoji}>
            <button
              type="button"
              aria-pressed={isMine}
              aria-label={`${emoji}, ${namesOf(reaction)}`}
              data-tip={`${namesOf(reaction)}${isMine ? ' · press to take back' : ''}`}
              onClick={() => room && void sendAndReport(() => react(env, room, message, emoji), onUpgrade)}
            >
              {emoji}
              {userIds.length > 1 && <span>{userIds.length}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const nameIn = (person: Parameters<typeof nameOf>[0] | undefined): string => (person ? nameOf(person) : 'Somebody')
