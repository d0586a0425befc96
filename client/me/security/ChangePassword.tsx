import { type FormEvent, useRef, useState } from 'react'
import type { User } from '../../../contract/account/account.ts'
import { passwordChangeShape } from '../../../contract/account/forms.ts'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'
import { PasswordMeter } from '../../ui/PasswordMeter.tsx'
import { showToast } from '../../ui/toast.ts'
import type { Opener } from '../account/keys.ts'
import { changePassword, type PasswordStep } from '../account/signedOrder.ts'
import { useWays } from '../account/useWays.tsx'
import { WayDialog } from './WayDialog.tsx'

const NAMES = ['currentPassword', 'newPassword', 'confirmNewPassword'] as const
const EMPTY = { currentPassword: '', newPassword: '', confirmNewPassword: '' }
type Form = typeof EMPTY

/** The form of a password change. Keeps its fields after a failure and clears them after success. */
export function ChangePassword({ user }: { user: User }) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(EMPTY)
  const [errors, setErrors] = useState<FieldErrors<keyof Form>>({})
  const [isShown, setShown] = useState(false)
  const [isPending, setPending] = useState(false)
  const [step, setStep] = useState<PasswordStep>()
  const [isOpening, setOpening] = useState(false)
  const { ways } = useWays()

  async function change(opener?: Opener) {
    await changePassword(env, values, opener, setStep).finally(() => setStep(undefined))
    setOpening(false)
    setValues(EMPTY)
    setShown(false)
    showToast({ tone: 'good', title: 'Password changed', text: 'Your other browsers were signed out.' })
  }

  function refuse(found: FieldErrors<keyof Form>) {
    setErrors(found)
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = formErrors(values)
    if (Object.keys(found).length > 0) return refuse(found)
    if (ways && !ways.password) return setOpening(true)
    setPending(true)
    try {
      await change()
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
    onShow: setShown,
    onValue: (value: string) => {
      setValues({ ...values, [name]: value })
      setErrors(({ [name]: _, ...rest }) => rest)
    },
  })

  return (
    <>
      <form ref={form} className="stack" onSubmit={submit} noValidate>
        {/* Tells a password manager the username of this password. */}
        <input className="sr" type="text" autoComplete="username" value={user.username} readOnly tabIndex={-1} aria-hidden />
        <PasswordField {...field('currentPassword')} label="Current password" autoComplete="current-password" />
        <PasswordField {...field('newPassword')} label="New password" rule="6 to 100 characters" autoComplete="new-password" />
        <PasswordMeter password={values.newPassword} own={[user.username, user.displayName]} />
        <PasswordField {...field('confirmNewPassword')} label="Repeat new password" autoComplete="new-password" />
        <div className="acts">
          <button type="submit" className="btn outline" disabled={isPending}>
            {isPending ? 'Changing...' : 'Change password'}
          </button>
          <p className="small t2" role="status">
            {step && STEPS[step]}
          </p>
        </div>
      </form>
      {isOpening && (
        <WayDialog
          title="Change your password?"
          text="New browsers of this account need the kit or a passkey, and so does a new password."
          action="Change password"
          pendingAction="Changing..."
          only={['passkey', 'kit']}
          onOpen={change}
          onClose={() => setOpening(false)}
        />
      )}
    </>
  )
}

const STEPS: Record<PasswordStep, string> = {
  checking: '1 of 3: checking your current password',
  making: '2 of 3: making a key from the new one',
  sealing: '3 of 3: sealing your keys with it',
}

const WRONG = 'Current password is wrong'

function formErrors(values: Form): FieldErrors<keyof Form> {
  const parsed = passwordChangeShape.safeParse(values)
  return parsed.success ? {} : fieldErrors(parsed.error, NAMES)
}
