import { Ban, Eraser, Flag, Pencil, UserRoundX } from 'lucide-react'
import { isShutRow, type RoomRow } from '../rooms/list.ts'
import { type Act, askAct } from './acts.ts'

/** What can be done with a contact, in the contact panel. Each asks first. */
export function ContactButtons({ room }: { room: RoomRow }) {
  // A locked chat is opened before it is cleared.
  const clear: [Act, typeof Ban, string][] = isShutRow(room) ? [] : [['clear', Eraser, 'Clear chat']]
  const acts: [Act, typeof Ban, string][] = [
    ['name', Pencil, 'Change the name'],
    ...clear,
    room.isBlocked ? ['unblock', Ban, 'Unblock'] : ['block', Ban, 'Block'],
    ['report', Flag, 'Report'],
    ['remove', UserRoundX, 'Remove contact'],
  ]
  return (
    <section className="contact-acts" aria-label="Actions">
      {acts.map(([act, Icon, words]) => (
        <button
          type="button"
          key={act}
          className={act === 'name' || act === 'unblock' ? 'btn quiet' : 'btn quiet danger-words'}
          onClick={() => askAct(act, room.id)}
        >
          <Icon className="i i-16" aria-hidden />
          {words}
        </button>
      ))}
    </section>
  )
}
