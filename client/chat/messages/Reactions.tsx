import { useStore } from 'zustand'
import { peopleStore } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import './reactions.css'
import { openRoom } from './openRoom.ts'
import { namesOf, react } from './reactions.ts'
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
  return (
    <ul className="reactions" aria-label="Reactions">
      {reactions.map((reaction) => {
        const { emoji, userIds } = reaction
        const isMine = ownId !== undefined && userIds.includes(ownId)
        const count = userIds.length > 1 ? ` ${userIds.length}` : ''
        return (
          <li key={emoji}>
            <button
              type="button"
              aria-pressed={isMine}
              aria-label={`${emoji}${count}, ${namesOf(userIds, ownId, people)}`}
              data-tip={`${namesOf(userIds, ownId, people)}${isMine ? ' · press to take back' : ''}`}
              onClick={() => room && void sendAndReport(() => react(env, room, message, emoji), onUpgrade)}
            >
              {emoji}
              {count}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
