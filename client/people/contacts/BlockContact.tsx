import { isRequest } from '../../rooms/list/room.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { useAct } from '../../ui/useAct.tsx'
import { blockContact, unblockContact } from './block.ts'
import { neighbourOf } from './neighbourOf.ts'
import { restoreContact } from './requests.ts'

interface Props {
  room: DirectRow
  person: Person
  onClose: () => void
}

/** Asks before somebody is blocked: a contact, or who asks to be one. */
export function BlockContact({ room, person, onClose, onGone }: Props & { onGone: (chatRoomId: string) => void }) {
  const env = useEnv()
  const isAsking = isRequest(room)
  const name = isAsking ? `@${person.username}` : nameOf(person)
  const { act, isPending } = useAct()
  async function block() {
    const focusNeighbour = isAsking ? neighbourOf(room.id) : undefined
    await blockContact(env, room)
    onClose()
    if (isAsking) onGone(room.id)
    focusNeighbour?.()
    if (isAsking)
      showToast({
        tone: 'plain',
        title: 'Contact blocked',
        text: `${name} is not told.`,
        action: { words: 'Undo', run: undo },
      })
  }

  function undo() {
    unblockContact(env, room)
      .then(() => restoreContact(env, room))
      .catch((error) => showToast({ tone: 'bad', title: 'The request did not come back', text: failureWords(error) }))
  }

  return (
    <AlertDialog
      title={`Block ${name}?`}
      text={`You get nothing that they write from now on, also not after you unblock them. They are not told: you look away from here. ${
        isAsking ? 'You find them in Settings under Privacy.' : 'They stay on your list.'
      }`}
      action="Block"
      pendingAction="Blocking..."
      isPending={isPending}
      onConfirm={() => void act({ run: block, failed: `${name} is not blocked` })}
      onCancel={onClose}
    />
  )
}

/** Asks before the block of somebody on the list ends. */
export function UnblockContact({ room, person, onClose }: Props) {
  const env = useEnv()
  return <UnblockQuestion name={nameOf(person)} isListed onUnblock={() => unblockContact(env, room)} onClose={onClose} />
}

interface Unblocking {
  name: string
  /** False for somebody who is on no list: they stay away until the person adds them. */
  isListed: boolean
  onUnblock: () => Promise<void>
  onClose: () => void
}

/** Asks before a block ends. */
export function UnblockQuestion({ name, isListed, onUnblock, onClose }: Unblocking) {
  const { act, isPending } = useAct()
  async function unblock() {
    await onUnblock()
    onClose()
  }
  return (
    <AlertDialog
      title={`Unblock ${name}?`}
      text={
        isListed
          ? 'They can write to you again, and see when you are here. What they wrote while blocked stays away.'
          : 'They stay off your list. What they wrote while blocked stays away.'
      }
      action="Unblock"
      pendingAction="Unblocking..."
      isHarmless
      isPending={isPending}
      onConfirm={() => void act({ run: unblock, failed: `${name} is still blocked` })}
      onCancel={onClose}
    />
  )
}
