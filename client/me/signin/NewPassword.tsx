import { type FormEvent, useEffect, useRef, useState } from 'react'
import { registrationShape } from '../../../contract/account/forms.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'
import { showToast } from '../../ui/toast.ts'
import { focusStep } from './focusStep.ts'
import { PasswordPair, type TwoPasswords } from './PasswordPair.tsx'
import { chooseNewPassword } from './signin.ts'
import { useCancel } from './useCancel.tsx'

const NAMES = ['password', 'confirmPassword'] as const

/** Asks for a new password, which makes the first keys of an account created by a program [Note: P2]. */
export function NewPassword({ onCancel }: { onCancel: () => void }) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => focusStep(form.current?.parentElement), [])
  const [pair, setPair] = useState<TwoPasswords>({ password: '', confirmPassword: '' })
  const [errors, setErrors] = useState<FieldErrors<keyof TwoPasswords>>({})
  const [isPending, setPending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    // The rules for a new password are those of the registration.
    const parsed = registrationShape.safeParse({ username: 'anyone', displayName: 'Anyone', ...pair })
    if (!parsed.success) {
      setErrors(fieldErrors(parsed.error, NAMES))
      requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
      return
    }
    setPending(true)
    try {
      await chooseNewPassword(env, pair)
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The password was not changed', text: failureWords(error) })
    }
  }

  const cancel = useCancel(onCancel)

  return (
    <section className="step">
      <h1 tabIndex={-1}>Choose a new password</h1>
      <p className="t2">
        This account was made by a program and has no keys yet. A new password makes them in this browser; the old one stops
        working.
      </p>
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordPair
          value={pair}
          errors={errors}
          own={[]}
          onValue={(changed) => {
            setPair(changed)
            setErrors({})
          }}
        />
        <div className="step-actions">
          <button type="submit" className="btn primary large" disabled={isPending}>
            {isPending ? 'Making keys...' : 'Set password'}
          </button>
          <button type="button" className="btn outline large" disabled={isPending} onClick={cancel}>
            Cancel
          </button>
        </div>
      </form>
    </section>
  )
}
