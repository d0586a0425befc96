import { LockKeyhole } from 'lucide-react'
import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { Empty } from '../../ui/Empty.tsx'
import type { LockAct } from './ChatLockActs.tsx'

/** What stands in the place of a chat that is locked in this browser. */
export function LockedChat({ room, onAsk }: { room: RoomRow; onAsk: (act: LockAct) => void }) {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const { title, text, action, act } = wordsOf(room)
  const asks = (asked: LockAct) => () => onAsk(asked)
  return (
    <section className="centre" aria-label="Locked chat">
      <Empty icon={LockKeyhole} title={title} text={text}>
        {!isConnected && (
          <p className="small t2" role="status">
            A locked chat opens with the server’s help only, and this browser is not connected.
          </p>
        )}
        <button type="button" className="btn primary" disabled={!isConnected} onClick={asks(act)}>
          {action}
        </button>
        {room.lock !== 'claimed' && (
          <button type="button" className="linkish" disabled={!isConnected} onClick={asks('give_up')}>
            Forgotten?
          </button>
        )}
      </Empty>
    </section>
  )
}

interface LockedWords {
  title: string
  text: string
  action: string
  act: LockAct
}

function wordsOf({ lock, unreadCount }: RoomRow): LockedWords {
  if (lock === 'claimed')
    return {
      title: 'Another of your browsers locked this chat',
      text: 'The server knows no password of it. Nothing of the chat is shown or processed here until you open it with your account’s password, recovery kit or passkey.',
      action: 'Open with your account',
      act: 'open_claimed',
    }
  if (lock === 'interrupted')
    return {
      title: 'Setting was interrupted',
      text: 'The chat password was not set to the end. Set it again, with the same password.',
      action: 'Set again',
      act: 'set_password',
    }
  return { title: 'Chat is Password Protected', text: waitingWords(unreadCount), action: 'Enter Password', act: 'unlock' }
}

function waitingWords(count: number): string {
  if (count === 0) return 'New messages wait on the server, sealed, until you enter the password of this chat.'
  const [messages, wait] = count === 1 ? ['message', 'waits'] : ['messages', 'wait']
  return `${count} ${messages} ${wait} on the server, sealed, until you enter the password of this chat.`
}
