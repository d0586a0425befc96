import { Fingerprint } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useStore } from 'zustand'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { usePassword } from '../../ui/usePassword.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import { accountStore } from '../account/accountState.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { confirmByPasskey, confirmByPassword } from '../account/stepup.ts'

interface Props {
  /** Says what needs the confirmation. */
  text: string
  /** Goes on with what needed the confirmation. */
  onConfirmed: () => void
  onClose: () => void
}

/** Asks for the password or a passkey before an act that needs a recent confirmation. It counts for five minutes. */
export function ConfirmDialog({ text, onConfirmed, onClose }: Props) {
  const env = useEnv()
  const needsPasskey = useStore(accountStore, ({ user }) => user?.biometricEnabled === true)
  const { password, error, setError, field } = usePassword()
  const [isPending, setPending] = useState(false)

  async function confirm(by: () => Promise<void>) {
    if (isPending) return
    setPending(true)
    setError(undefined)
    try {
      await by()
      onConfirmed()
    } catch (failure) {
      setError(failureWords(failure))
      setPending(false)
    }
  }

  const byPasskey = () => void confirm(() => confirmByPasskey(env))

  function submit(event: FormEvent) {
    event.preventDefault()
    if (needsPasskey) byPasskey()
    else if (password) void confirm(() => confirmByPassword(env, password))
    else setError('Password is required')
  }

  return (
    <Dialog
      title="Confirm that it is you"
      text={`${text} Show ${needsPasskey ? 'a passkey, as at your sign-in' : 'your password or a passkey'}: it counts for five minutes.`}
      onClose={() => isPending || onClose()}
    >
      <form onSubmit={submit} noValidate>
        {needsPasskey && error && <Wrong>{error}</Wrong>}
        {!needsPasskey && <PasswordField label="Password" {...field} />}
        {!needsPasskey && passkeysWork() && (
          <button type="button" className="btn outline" disabled={isPending} onClick={byPasskey}>
            <Fingerprint className="i i-16" aria-hidden />
            Use a passkey
          </button>
        )}
        <FormFooter
          action={needsPasskey ? 'Use a passkey' : 'Confirm'}
          pendingAction="Checking..."
          isPending={isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
