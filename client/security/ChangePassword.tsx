import { type FormEvent, useRef, useState } from 'react'
import { passwordChangeShape, type User } from '../../contract/account.ts'
import { changePassword } from '../account/keys.ts'
import { ApiError } from '../net/api.ts'
import { useEnv } from '../ui/env.tsx'
import { PasswordField } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { type FieldErrors, fieldErrors } from '../ui/form.ts'
import { PasswordMeter } from '../ui/PasswordMeter.tsx'
import { showToast } from '../ui/toast.ts'

const NAMES = ['currentPassword', 'newPassword', 'confirmNewPassword'] as const
const EMPTY = { currentPassword: '', newPassword: '', confirmNewPassword: '' }
type Form = typeof EMPTY

/** Seals the keys under a new password. What was typed stays when it fails, and goes when it is done. */
export function ChangePassword({ user }: { user: User }) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(EMPTY)
  const [errors, setErrors] = useState<FieldErrors<keyof Form>>({})
  const [isShown, setShown] = useState(false)
  const [isPending, setPending] = useState(false)

  function refuse(found: FieldErrors<keyof Form>) {
    setErrors(found)
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = formErrors(values)
    if (Object.keys(found).length > 0) return refuse(found)
    setPending(true)
    try {
      await changePassword(env, values)
      setValues(EMPTY)
      setShown(false)
      showToast({ tone: 'good', title: 'Password changed', text: 'Your other browsers were signed out.' })
    } catch (error) {
      const isWrong = error instanceof ApiError && error.code === 'invalid_credentials'
      if (isWrong) refuse({ currentPassword: WRONG })
      else showToast({ tone: 'bad', title: 'Failed to change password', text: failureWords(error) })
    } finally {
      setPending(false)
    }
  }

  const field = (name: keyof Form) => ({
    name,
    value: values[name],
    error: errors[name],
    isShown,
    onValue: (value: string) => {
      setValues({ ...values, [name]: value })
      setErrors(({ [name]: _, ...rest }) => rest)
    },
  })

  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate>
      {/* A password manager learns whose password this is. */}
      <input className="sr" type="text" autoComplete="username" value={user.username} readOnly tabIndex={-1} aria-hidden />
      <PasswordField {...field('currentPassword')} label="Current password" autoComplete="current-password" onShow={setShown} />
      <PasswordField {...field('newPassword')} label="New password" rule="6 to 100 characters" autoComplete="new-password" />
      <PasswordMeter password={values.newPassword} own={[user.username, user.displayName]} />
      <PasswordField {...field('confirmNewPassword')} label="Repeat new password" autoComplete="new-password" />
      <div className="acts">
        <button type="submit" className="btn outline" disabled={isPending}>
          {isPending ? 'Changing...' : 'Change password'}
        </button>
      </div>
    </form>
  )
}

const WRONG = 'Current password is wrong'

function formErrors(values: Form): FieldErrors<keyof Form> {
  const parsed = passwordChangeShape.safeParse(values)
  return parsed.success ? {} : fieldErrors(parsed.error, NAMES)
}
