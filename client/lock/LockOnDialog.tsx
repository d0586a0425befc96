import { type FormEvent, useState } from 'react'
import { openingWords } from '../account/opening.ts'
import { passkeysWork } from '../account/passkeyshere.ts'
import { useWays } from '../account/useWays.tsx'
import { CryptoFailure, type LockAfter } from '../crypto/crypto.ts'
import { WaysUnknown } from '../security/WaysUnknown.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { PasswordField } from '../ui/Field.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { switchLockOn } from './lock.ts'

interface Props {
  after: LockAfter
  onDone: () => void
  onClose: () => void
}

const CHOICES = { password: 'Password', passkey: 'Passkey', both: 'Password or passkey' } as const
type Choice = keyof typeof CHOICES

/** Asks for the password or passkey of the lock and verifies it, so that a typing error cannot lock the person out. */
export function LockOnDialog({ after, onDone, onClose }: Props) {
  const env = useEnv()
  const { ways, failure, reload } = useWays()
  const [choice, setChoice] = useState<Choice>('password')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const canUsePasskey = ways !== null && ways.passkeys.length > 0 && passkeysWork()
  const takesPassword = choice !== 'passkey'
  // The keyring cannot verify this password, so the form asks for it twice.
  const isAskedTwice = ways !== null && !ways.password && takesPassword
  const close = () => isPending || onClose()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (takesPassword && !password) return setError('Password is required')
    if (isAskedTwice && password !== again) return setError("Passwords don't match")
    setError(undefined)
    setPending(true)
    try {
      await switchLockOn(env, { after, usesPasskey: choice !== 'password', ...(takesPassword && { password }) })
      onDone()
    } catch (reason) {
      setPending(false)
      const isPassword = takesPassword && !(reason instanceof CryptoFailure && reason.code.startsWith('passkey'))
      setError(openingWords(isPassword ? 'password' : 'passkey', reason))
    }
  }

  return (
    <Dialog
      title="Lock this browser?"
      text="From now on it opens with this only, each time a page of Conclave is loaded."
      onClose={close}
    >
      {!ways ? (
        <WaysUnknown failure={failure} onRetry={reload} />
      ) : (
        <form onSubmit={submit} noValidate>
          {canUsePasskey && (
            <fieldset className="ways" disabled={isPending}>
              <legend>Unlock with</legend>
              {(['password', 'passkey', 'both'] as const).map((one) => (
                <label key={one}>
                  <input type="radio" name="lock-way" checked={one === choice} onChange={() => setChoice(one)} />
                  {CHOICES[one]}
                </label>
              ))}
            </fieldset>
          )}
          {takesPassword && (
            <PasswordField
              label="Password of this account"
              autoComplete="current-password"
              value={password}
              error={error}
              onValue={(typed) => {
                setPassword(typed)
                setError(undefined)
              }}
            />
          )}
          {isAskedTwice && (
            <PasswordField label="Repeat password" autoComplete="current-password" value={again} onValue={setAgain} />
          )}
          {!takesPassword && error && (
            <p className="help bad" role="alert">
              {error}
            </p>
          )}
          <p className="small t2">
            Change your password here, and the lock follows. Change it on another browser, and this one goes on asking for the
            password from before.
          </p>
          <FormFooter action="Switch on" pendingAction="Switching on..." isPending={isPending} onClose={close} />
        </form>
      )}
    </Dialog>
  )
}
