import { Ban, Eraser, Flag, Images, Pencil, Star, Timer, Trash2, UserRoundX } from 'lucide-react'
import { isTimable } from '../../chat/timers/isTimable.ts'
import { isBlocked } from '../../rooms/list/room.ts'
import { isShutRow, type RoomRow } from '../../rooms/list/roomList.ts'
import { type Act, askAct } from './acts.ts'

const HARMLESS: Act[] = ['shared', 'starred', 'timer', 'name', 'unblock']

/** What can be done with a contact, in the contact panel. Each asks first. */
export function ContactButtons({ room }: { room: RoomRow }) {
  // A locked chat is opened before it is looked through or cleared.
  const ofOpen = (act: Act, Icon: typeof Ban, words: string): [Act, typeof Ban, string][] =>
    isShutRow(room) ? [] : [[act, Icon, words]]
  const acts: [Act, typeof Ban, string][] = [
    ...ofOpen('shared', Images, 'Shared files'),
    ...ofOpen('starred', Star, 'Starred messages'),
    ['name', Pencil, 'Change the name'],
    ...(isTimable(room) ? ofOpen('timer', Timer, 'Disappearing messages') : []),
    ...ofOpen('clear', Eraser, 'Clear chat'),
    ...ofOpen('delete_chat', Trash2, 'Delete chat'),
    isBlocked(room) ? ['unblock', Ban, 'Unblock'] : ['block', Ban, 'Block'],
    ['report', Flag, 'Report'],
    ['remove', UserRoundX, 'Remove contact'],
  ]
  return (
    <section className="contact-acts" aria-label="Actions">
      {acts.map(([act, Icon, words]) => (
        <button
          type="button"
          key={act}
          className={HARMLESS.includes(act) ? 'btn quiet' : 'btn quiet danger-words'}
          onClick={() => askAct(act, room.id)}
        >
          <Icon className="i i-16" aria-hidden />
          {words}
        </button>
      ))}
    </section>
  )
}
