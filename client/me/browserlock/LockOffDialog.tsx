import { Fingerprint } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { usePassword } from '../../ui/usePassword.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import { CryptoFailure, type LockEntry, type LockStanding } from '../../worker/crypto.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { switchLockOff } from './browserlock.ts'
import { passkeyEntry } from './unlock.ts'

interface Props {
  standing: LockStanding
  onDone: () => void
  onClose: () => void
}

/** Switching the lock off needs its password or passkey, so that another person at the unlocked browser cannot do it. */
export function LockOffDialog({ standing, onDone, onClose }: Props) {
  const env = useEnv()
  const { password, error, setError, field } = usePassword()
  const [isPending, setPending] = useState(false)
  const hasPassword = standing.passwordSalt !== null
  const close = () => isPending || onClose()

  async function switchOff(entryOf: () => Promise<LockEntry>) {
    if (isPending) return
    setError(undefined)
    setPending(true)
    try {
      await switchLockOff(env, await entryOf())
      onDone()
    } catch (reason) {
      setPending(false)
      const isWrong = reason instanceof CryptoFailure && reason.code === 'lock_secret'
      setError(isWrong ? 'This does not open the lock' : failureWords(reason))
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!hasPassword) return void switchOff(() => passkeyEntry(standing))
    if (!password) return setError('Password is required')
    void switchOff(async () => ({ password }))
  }

  return (
    <Dialog
      title="Switch the lock off?"
      text="This browser then opens without a password, and so does a copy of its profile while you are signed in."
      onClose={close}
    >
      <form onSubmit={submit} noValidate>
        {hasPassword && <PasswordField label="Password that opens the lock" {...field} />}
        {!hasPassword && error && <Wrong>{error}</Wrong>}
        {hasPassword && standing.passkeyIds.length > 0 && passkeysWork() && (
          <button
            type="button"
            className="btn outline"
            disabled={isPending}
            onClick={() => void switchOff(() => passkeyEntry(standing))}
          >
            <Fingerprint className="i i-16" aria-hidden />
            Use the passkey
          </button>
        )}
        <FormFooter
          action={hasPassword ? 'Switch off' : 'Switch off with the passkey'}
          pendingAction="Switching off..."
          isPending={isPending}
          onClose={close}
        />
      </form>
    </Dialog>
  )
}
