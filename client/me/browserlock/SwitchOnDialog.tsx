import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { usePassword } from '../../ui/usePassword.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import { CryptoFailure, type VaultWays } from '../../worker/crypto.ts'
import { openingWords } from '../account/openingWords.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { useWays } from '../account/useWays.tsx'
import { WaysUnknown } from '../security/WaysUnknown.tsx'
import type { EnteredWays } from './browserlock.ts'

interface Props {
  title: string
  text: string
  /** What the choice of ways is for: "Unlock with". */
  legend: string
  /** Only these can be chosen; without them, whichever the account has. */
  only?: VaultWays | null
  /** Throws if an entered way is not the account's; then nothing has changed. */
  switchOn: (entered: EnteredWays) => Promise<void>
  onDone: () => void
  onClose: () => void
  /** What it costs, below the fields. */
  children: ReactNode
}

const CHOICES = { password: 'Password', passkey: 'Passkey', both: 'Password or passkey' } as const
type Choice = keyof typeof CHOICES

const ALL = ['password', 'passkey', 'both'] as const

/** Asks for the password or passkey that is to open this browser and verifies it, so that a typing error cannot lock the person out. */
export function SwitchOnDialog({ title, text, legend, only, switchOn, onDone, onClose, children }: Props) {
  const { ways, failure, reload } = useWays()
  const hasPasskey = ways !== null && ways.passkeys.length > 0 && passkeysWork() && (!only || only.passkeyIds.length > 0)
  const hasPassword = !only || only.passwordSalt !== null
  const choices = ALL.filter((one) => (one === 'password' || hasPasskey) && (one === 'passkey' || hasPassword))
  const [chosen, setChosen] = useState<Choice>()
  const choice = chosen ?? choices[0] ?? 'password'
  const { password, error, setError, field } = usePassword()
  const [again, setAgain] = useState('')
  const [isPending, setPending] = useState(false)
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
      await switchOn({ usesPasskey: choice !== 'password', password: takesPassword ? password : undefined })
      onDone()
    } catch (reason) {
      setPending(false)
      const isPassword = takesPassword && !(reason instanceof CryptoFailure && reason.code.startsWith('passkey'))
      setError(openingWords(isPassword ? 'password' : 'passkey', reason))
    }
  }

  return (
    <Dialog title={title} text={text} onClose={close}>
      {!ways ? (
        <WaysUnknown failure={failure} onRetry={reload} />
      ) : (
        <form onSubmit={submit} noValidate>
          {choices.length > 1 && (
            <fieldset className="ways" disabled={isPending}>
              <legend>{legend}</legend>
              {choices.map((one) => (
                <label key={one}>
                  <input type="radio" name="lock-way" checked={one === choice} onChange={() => setChosen(one)} />
                  {CHOICES[one]}
                </label>
              ))}
            </fieldset>
          )}
          {takesPassword && <PasswordField label="Password of this account" {...field} />}
          {isAskedTwice && (
            <PasswordField label="Repeat password" autoComplete="current-password" value={again} onValue={setAgain} />
          )}
          {!takesPassword && error && <Wrong>{error}</Wrong>}
          {children}
          <FormFooter action="Switch on" pendingAction="Switching on..." isPending={isPending} onClose={close} />
        </form>
      )}
    </Dialog>
  )
}
