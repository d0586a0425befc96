import { useState } from 'react'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import type { Person } from '../../rooms/trust/people.ts'
import { RemovePassword, UnlockChat } from './EnterPassword.tsx'
import { GiveUpHistory } from './GiveUpHistory.tsx'
import { OpenClaimed } from './OpenClaimed.tsx'
import { ChangePassword, SetAgain, SetPassword } from './SetPassword.tsx'

/** What may be asked about the password of a chat. */
export type LockAct = 'set_password' | 'change_password' | 'unlock' | 'remove_password' | 'give_up' | 'open_claimed'

interface Props {
  act: LockAct
  room: DirectRow
  person: Person
  onClose: () => void
}

/** The question about the password of a chat. */
export function ChatLockActs({ act, ...about }: Props) {
  // A room looks interrupted too while its password is being set.
  const [wasInterrupted] = useState(about.room.lock === 'interrupted')
  if (act === 'set_password') return wasInterrupted ? <SetAgain {...about} /> : <SetPassword {...about} />
  if (act === 'change_password') return <ChangePassword {...about} />
  if (act === 'open_claimed') return <OpenClaimed {...about} />
  if (act === 'unlock') return <UnlockChat {...about} />
  return act === 'remove_password' ? <RemovePassword {...about} /> : <GiveUpHistory {...about} />
}
