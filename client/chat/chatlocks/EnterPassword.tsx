import { useEffect, useState } from 'react'
import { ConfirmDialog } from '../../me/security/ConfirmDialog.tsx'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { showToast } from '../../ui/toast.ts'
import { writeOn } from '../../ui/writeOn.ts'
import { removeChatPassword, unlockChat } from './chatlocks.ts'
import { usePasswordForm, WrongField } from './usePasswordForm.tsx'

interface Props {
  room: DirectRow
  person: Person
  onClose: () => void
}

/** Asks for the password of a locked chat. It goes as soon as the chat is open: what came meanwhile is fetched under the person's eyes. */
export function UnlockChat({ room, person, onClose }: Props) {
  const env = useEnv()
  const isOpen = room.lock === 'open'
  useEffect(() => {
    if (!isOpen) return
    onClose()
    // The button that led here is gone with the locked chat.
    requestAnimationFrame(focusChat)
  }, [isOpen, onClose])
  return (
    <OnePassword
      title={`Unlock the chat with ${nameOf(person)}`}
      text="It is locked again when you leave it, after five minutes out of sight, or when this computer sleeps."
      failed="Failed to verify password"
      action="Unlock"
      pendingAction="Unlocking..."
      work={async (password, requireRight) => requireRight(await unlockChat(env, room, password))}
      onClose={onClose}
    />
  )
}

/** Focuses where the person types on; where that opens an on-screen keyboard, the name above the chat. */
function focusChat() {
  if (!writeOn()) document.querySelector<HTMLElement>('[data-chat-title]')?.focus()
}

/** Asks for the chat password before it is removed. */
export function RemovePassword({ room, person, onClose }: Props) {
  const env = useEnv()
  return (
    <OnePassword
      title="Remove the chat password?"
      text={`Whoever opens one of your browsers can read the chat with ${nameOf(person)} then.`}
      failed="Failed to remove chat password"
      action="Remove password"
      pendingAction="Removing..."
      work={async (password, requireRight) => {
        requireRight(await unlockChat(env, room, password))
        await removeChatPassword(env, room)
        onClose()
        showToast({
          tone: 'good',
          title: 'Chat password removed',
          text: `The chat with ${nameOf(person)} is open in all of your browsers.`,
        })
      }}
      onClose={onClose}
    />
  )
}

const WHY_CONFIRM = 'Then you have tries of your own at the chat password.'

interface OneProps {
  title: string
  text: string
  failed: string
  action: string
  pendingAction: string
  work: (password: string, requireRight: ReturnType<typeof usePasswordForm>['requireRight']) => Promise<void>
  onClose: () => void
}

function OnePassword({ title, text, failed, action, pendingAction, work, onClose }: OneProps) {
  const [isConfirming, setConfirming] = useState(false)
  const { form, field, submit, requireRight, isPending, waitSeconds, wait } = usePasswordForm(failed, async ({ current }) => {
    if (current === '') throw new WrongField('current', 'Password is required')
    await work(current, requireRight)
  })
  const close = () => isPending || onClose()
  const confirmed = () => {
    setConfirming(false)
    wait(0)
  }
  if (isConfirming) return <ConfirmDialog text={WHY_CONFIRM} onConfirmed={confirmed} onClose={() => setConfirming(false)} />
  return (
    <Dialog title={title} text={text} onClose={close}>
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordField label="Chat password" autoComplete="off" {...field('current')} />
        {waitSeconds > 0 && (
          <button type="button" className="linkish" onClick={() => setConfirming(true)}>
            Somebody else used up the tries? Confirm that it is you.
          </button>
        )}
        <FormFooter
          action={waitSeconds > 0 ? `Wait ${waitSeconds} s` : action}
          pendingAction={pendingAction}
          isPending={isPending}
          isOff={waitSeconds > 0}
          onClose={close}
        />
      </form>
    </Dialog>
  )
}
