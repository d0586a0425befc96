import { TriangleAlert } from 'lucide-react'
import { chatPassword } from '../../../contract/chat/chatlocks.ts'
import { useConfirmed } from '../../me/security/useConfirmed.tsx'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import { changeChatPassword, setChatPassword, unlockChat } from './chatlocks.ts'
import { NewPassword, requireNew } from './NewPassword.tsx'
import { usePasswordForm, WrongField } from './usePasswordForm.tsx'

interface Props {
  room: DirectRow
  person: Person
  onClose: () => void
}

const FAILED = 'Failed to set chat password'
const WHY_CONFIRM = 'A first chat password asks for this, so that nobody else at this browser sets one.'

/** Asks for a chat password, and says before what it cannot cover. */
export function SetPassword({ room, person, onClose }: Props) {
  const env = useEnv()
  const name = nameOf(person)
  const { confirmed, dialog } = useConfirmed(WHY_CONFIRM)
  const { form, field, submit, isPending } = usePasswordForm(FAILED, async (typed) => {
    requireNew(typed)
    if (!(await confirmed(() => setChatPassword(env, room, typed.next)))) return
    onClose()
    showToast({ tone: 'good', title: 'Chat password set', text: `The chat with ${name} is locked in all of your browsers.` })
  })
  const close = () => isPending || onClose()
  if (dialog) return dialog
  return (
    <Dialog
      title="Set a chat password"
      text={`It locks the chat with ${name} in all of your browsers. While it is locked, nothing of it can be read here, and new messages wait on the server.`}
      onClose={close}
    >
      <form ref={form} onSubmit={submit} noValidate>
        <NewPassword field={field} label="Chat password" />
        <NotCovered />
        <FormFooter action="Set password" pendingAction="Locking the chat..." isPending={isPending} onClose={close} />
      </form>
    </Dialog>
  )
}

function NotCovered() {
  return (
    <Note icon={TriangleAlert}>
      <strong>Nobody can bring back a forgotten chat password:</strong> the history of your side is lost then. Not covered:
      messages that came since you last unlocked the chat (only the server keeps them back), old copies of this disk, and the
      other side.
    </Note>
  )
}

/** Asks for the password that was entered when setting it was interrupted. */
export function SetAgain({ room, person, onClose }: Props) {
  const env = useEnv()
  const { confirmed, dialog } = useConfirmed(WHY_CONFIRM)
  const { form, field, submit, isPending, waitSeconds } = usePasswordForm(FAILED, async ({ current }) => {
    if (!chatPassword.safeParse(current).success) throw new WrongField('current', 'Password is required')
    if (!(await confirmed(() => setChatPassword(env, room, current)))) return
    onClose()
    showToast({ tone: 'good', title: 'Chat password set', text: `The chat with ${nameOf(person)} is locked.` })
  })
  const close = () => isPending || onClose()
  if (dialog) return dialog
  return (
    <Dialog title="Setting was interrupted" text="Enter the same chat password once more to finish it." onClose={close}>
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordField label="Chat password" autoComplete="off" {...field('current')} />
        <FormFooter
          action={waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Set again'}
          pendingAction="Locking the chat..."
          isPending={isPending}
          isOff={waitSeconds > 0}
          onClose={close}
        />
      </form>
    </Dialog>
  )
}

/** Asks for the chat password of now and for the next one. */
export function ChangePassword({ room, person, onClose }: Props) {
  const env = useEnv()
  const { form, field, submit, requireRight, isPending, waitSeconds } = usePasswordForm(FAILED, async (typed) => {
    if (typed.current === '') throw new WrongField('current', 'Password is required')
    requireNew(typed)
    requireRight(await unlockChat(env, room, typed.current))
    await changeChatPassword(env, room, typed.next)
    onClose()
    showToast({ tone: 'good', title: 'Chat password set', text: 'Your other browsers ask for the new one.' })
  })
  const close = () => isPending || onClose()
  return (
    <Dialog title="Change the chat password" text={`It opens the chat with ${nameOf(person)}.`} onClose={close}>
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordField label="Current chat password" autoComplete="off" {...field('current')} />
        <NewPassword field={field} label="New chat password" />
        <FormFooter
          action={waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Change'}
          pendingAction="Changing..."
          isPending={isPending}
          isOff={waitSeconds > 0}
          onClose={close}
        />
      </form>
    </Dialog>
  )
}
