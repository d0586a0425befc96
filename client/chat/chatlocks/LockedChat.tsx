import { LockKeyhole } from 'lucide-react'
import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { Empty } from '../../ui/Empty.tsx'
import type { LockAct } from './ChatLockActs.tsx'

/** What stands in the place of a chat that is locked in this browser. */
export function LockedChat({ room, onAsk }: { room: RoomRow; onAsk: (act: LockAct) => void }) {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const isInterrupted = room.lock === 'interrupted'
  const asks = (act: LockAct) => () => onAsk(act)
  return (
    <section className="centre" aria-label="Locked chat">
      <Empty
        icon={LockKeyhole}
        title={isInterrupted ? 'Setting was interrupted' : 'Chat is Password Protected'}
        text={
          isInterrupted
            ? 'The chat password was not set to the end. Set it again, with the same password.'
            : waitingWords(room.unreadCount)
        }
      >
        {!isConnected && (
          <p className="small t2" role="status">
            A locked chat opens with the server’s help only, and this browser is not connected.
          </p>
        )}
        <button
          type="button"
          className="btn primary"
          disabled={!isConnected}
          onClick={asks(isInterrupted ? 'set_password' : 'unlock')}
        >
          {isInterrupted ? 'Set again' : 'Enter Password'}
        </button>
        <button type="button" className="linkish" disabled={!isConnected} onClick={asks('give_up')}>
          Forgotten?
        </button>
      </Empty>
    </section>
  )
}

function waitingWords(count: number): string {
  if (count === 0) return 'New messages wait on the server, sealed, until you enter the password of this chat.'
  const [messages, wait] = count === 1 ? ['message', 'waits'] : ['messages', 'wait']
  return `${count} ${messages} ${wait} on the server, sealed, until you enter the password of this chat.`
}
