import { LockKeyhole } from 'lucide-react'
import { type DirectRow, isShutRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import type { LockAct } from './ChatLockActs.tsx'
import { lockChat } from './relock.ts'

/** The part of the contact panel about the password of the chat. */
export function LockSection({ room, onAsk }: { room: DirectRow; onAsk: (act: LockAct) => void }) {
  const env = useEnv()
  const asks = (act: LockAct, words: string) => (
    <button type="button" className="btn compact outline" onClick={() => onAsk(act)}>
      {words}
    </button>
  )
  return (
    <section aria-label="Chat password">
      <h3>Chat password</h3>
      <p className="small t2" role="status">
        {WORDS[room.lock]}
      </p>
      <div className="acts">
        {room.lock === 'none' && asks('set_password', 'Set')}
        {room.lock === 'shut' && asks('unlock', 'Enter Password')}
        {room.lock === 'claimed' && asks('open_claimed', 'Open with your account')}
        {room.lock === 'interrupted' && asks('set_password', 'Set again')}
        {room.lock === 'open' && (
          <>
            <button type="button" className="btn compact outline" onClick={() => void lockChat(env, room)}>
              <LockKeyhole className="i i-16" aria-hidden />
              Lock now
            </button>
            {asks('change_password', 'Change')}
            {asks('remove_password', 'Remove')}
          </>
        )}
        {isShutRow(room) && room.lock !== 'claimed' && asks('give_up', 'Give up this chat’s history')}
      </div>
    </section>
  )
}

const WORDS: Record<DirectRow['lock'], string> = {
  none: 'Not set: whoever sits at one of your open browsers can read this chat.',
  open: 'Set, and unlocked in this browser until you leave the chat or it is out of sight for five minutes.',
  shut: 'Locked. New messages wait on the server until you enter the password.',
  claimed: 'Another of your browsers locked this chat, and the server knows no password of it.',
  interrupted: 'Setting was interrupted. Set it again, with the same password.',
}
