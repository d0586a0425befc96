import { TriangleAlert } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { User } from '../../../contract/account/account.ts'
import { ApiError } from '../../net/api.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import type { Opener } from '../account/keys.ts'
import { UnsentNote } from '../account/UnsentNote.tsx'
import { useWays } from '../account/useWays.tsx'
import { deleteAccount } from './removeAccount.ts'
import { WayDialog } from './WayDialog.tsx'

/** Deletes the account. Explains what is deleted and what stays before it asks for the password. */
export function DeleteAccount({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="acts">
      <button type="button" className="btn outline danger-words" onClick={() => setAsking(true)}>
        Delete account
      </button>
      {isAsking && <Question user={user} onClose={() => setAsking(false)} />}
    </div>
  )
}

function Question({ user, onClose }: { user: User; onClose: () => void }) {
  const env = useEnv()
  const [, navigate] = useLocation()
  const form = useRef<HTMLFormElement>(null)
  const [password, setPassword] = useState('')
  const [failure, setFailure] = useState<string>()
  const [why, setWhy] = useState<string>()
  const [isPending, setPending] = useState(false)
  const [isOpening, setOpening] = useState(false)
  const { ways } = useWays()
  const close = () => isPending || onClose()

  async function deletes(opener?: Opener) {
    await deleteAccount(env, user, password, opener)
    navigate('/', { replace: true })
  }

  function refuse(message: string) {
    setFailure(message)
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (password === '') return refuse('Password is required')
    if (ways && !ways.password) return setOpening(true)
    setPending(true)
    setWhy(undefined)
    try {
      await deletes()
    } catch (error) {
      setPending(false)
      const isWrong = error instanceof ApiError && error.code === 'invalid_credentials'
      if (isWrong) refuse('Wrong password')
      else setWhy(failureWords(error))
    }
  }

  if (isOpening)
    return (
      <WayDialog
        title="Delete your account?"
        text="New browsers of this account need the kit or a passkey, and so does its end."
        action="Delete account"
        pendingAction="Deleting..."
        isDangerous
        only={['passkey', 'kit']}
        onOpen={deletes}
        onClose={onClose}
      />
    )
  return (
    <Dialog title="Delete your account?" onClose={close}>
      <form ref={form} onSubmit={submit} noValidate>
        <Note icon={TriangleAlert} tone="danger">
          <strong>This cannot be undone.</strong> Nobody can bring back the account or its history, not even we.
        </Note>
        <UnsentNote />
        <dl className="small goes">
          <dt>Goes at once</dt>
          <dd>
            Your keys, devices, contacts and address book on the server, and your chats in this browser. Your other browsers are
            signed out, one that is offline when it comes online; what they stored cannot be opened again. A paid plan ends, and a
            family circle with it; nothing is paid back.
          </dd>
          <dt>Stays</dt>
          <dd>
            What you wrote and sent, with those whom you wrote to; they see “Deleted account”. What you paid, and asked to pay by
            coin with its refund address, stays in the books, without your name. Your receipts stay by their numbers, for the
            years that the operator keeps them, with the business that you had on them. Your username is not issued again.
          </dd>
        </dl>
        <PasswordField
          label={`Password of @${user.username.toLowerCase()}`}
          autoComplete="current-password"
          value={password}
          error={failure}
          onValue={(value) => {
            setPassword(value)
            setFailure(undefined)
          }}
        />
        {why && (
          <Note icon={TriangleAlert} tone="danger" role="alert">
            {why}
          </Note>
        )}
        <FormFooter action="Delete account" pendingAction="Deleting..." isPending={isPending} isDangerous onClose={close} />
      </form>
    </Dialog>
  )
}
