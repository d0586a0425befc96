import { type FormEvent, useRef, useState } from 'react'
import { registrationShape } from '../../../contract/account/forms.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'
import { PasswordPair, type TwoPasswords } from './PasswordPair.tsx'

const NAMES = ['password', 'confirmPassword'] as const

interface Props {
  username: string
  value: TwoPasswords
  onValue: (pair: TwoPasswords) => void
  onChosen: () => void
  onCancel: () => void
}

/** Asks for the password that replaces the forgotten one. */
export function RecoverPassword({ username, value, onValue, onChosen, onCancel }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors<keyof TwoPasswords>>({})

  function submit(event: FormEvent) {
    event.preventDefault()
    // The rules for a new password are those of the registration.
    const parsed = registrationShape.safeParse({ username: 'anyone', displayName: 'Anyone', ...value })
    if (parsed.success) return onChosen()
    setErrors(fieldErrors(parsed.error, NAMES))
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
  }

  return (
    <section className="step">
      <h1 tabIndex={-1}>Choose a new password</h1>
      <p className="t2">
        The old one stops working, and your other sessions end. Your contacts and the history that is kept stay as they are.
      </p>
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordPair
          value={value}
          errors={errors}
          own={[username]}
          onValue={(changed) => {
            onValue(changed)
            setErrors({})
          }}
        />
        <div className="step-actions">
          <button type="submit" className="btn primary large">
            Go on
          </button>
          <button type="button" className="btn outline large" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </section>
  )
}
