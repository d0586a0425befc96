import { ChevronLeft, UserRoundPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ContactRow } from '../rooms/rows.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { showToast } from '../ui/toast.ts'
import { acceptContact, declineContact } from './contacts.ts'

interface Props {
  row: ContactRow
  onAccepted?: () => void
}

/** Somebody asks: nothing of theirs is shown until the request is accepted. */
export function Request({ row, onAccepted }: Props) {
  const { isPending, accept, decline } = useAnswer(row, onAccepted)
  const username = `@${row.contactUser.username}`
  return (
    <div className="row req">
      <Avatar id={row.contactUserId} name={row.contactUser.username} isOutlined />
      <div>
        <div className="l1">
          <Link href={`/chat/${row.chatRoomId}`} className="name cut" title={username} data-room={row.chatRoomId}>
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
          <UserRoundPlus className="i i-16" aria-hidden />
          <span className="cut">Wants to write to you</span>
        </div>
      </div>
    </div>
  )
}

/** The same question, where its conversation would be. */
export function RequestPanel({ row, onLeave }: { row: ContactRow; onLeave: () => void }) {
  const { isPending, accept, decline } = useAnswer(row)
  return (
    <div className="centre asked">
      <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onLeave} />
      <Empty
        icon={UserRoundPlus}
        title={`@${row.contactUser.username} wants to write to you`}
        text="They do not see whether you are online until you accept."
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

function useAnswer(row: ContactRow, onAccepted?: () => void) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  async function answer(verb: typeof acceptContact | typeof declineContact, then?: () => void) {
    setPending(true)
    try {
      await verb(env, row.id)
      then?.()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Error', text: failureWords(error) })
    } finally {
      setPending(false)
    }
  }
  return { isPending, accept: () => answer(acceptContact, onAccepted), decline: () => answer(declineContact) }
}
