import { type FormEvent, useRef, useState } from 'react'
import { untilStarted } from '../account/account.ts'
import { ApiError } from '../net/api.ts'
import { useEnv } from '../ui/env.tsx'
import { Field, PasswordField } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { type SignInStep, signIn } from './signin.ts'

/** Refusals of what was typed. They stand under the password; anything else is no fault of the form. */
const OF_FORM = ['invalid_credentials', 'too_many_requests', 'invalid_input']

interface Props {
  /** The username typed so far, which outlives this form. */
  username: string
  onUsername: (username: string) => void
  onSubmit: () => void
  onStep: (step: SignInStep) => void
  onForgot: () => void
}

export function SignIn({ username, onUsername, onSubmit, onStep, onForgot }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const [isPending, setPending] = useState(false)
  const usernameError = isChecked && !username.trim() ? 'Username is required' : undefined
  const passwordError = isChecked && !password ? 'Password is required' : refusal

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setChecked(true)
    if (!username.trim() || !password) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
      return
    }
    setRefusal(undefined)
    setPending(true)
    onSubmit()
    try {
      await untilStarted()
      onStep(await signIn(env, { username: username.trim(), password }))
    } catch (error) {
      if (error instanceof ApiError && OF_FORM.includes(error.code)) setRefusal(failureWords(error))
      else showToast({ tone: 'bad', title: 'Sign in failed', text: failureWords(error) })
      // The pressed button was disabled and lost the focus.
      form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus()
    } finally {
      setPending(false)
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Field
        label="Username"
        value={username}
        error={usernameError}
        onValue={(typed) => {
          onUsername(typed)
          setRefusal(undefined)
        }}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        before={
          <span className="t3" aria-hidden="true">
            @
          </span>
        }
      />
      <PasswordField
        label="Password"
        name="password"
        value={password}
        error={passwordError}
        onValue={(typed) => {
          setPassword(typed)
          setRefusal(undefined)
        }}
        autoComplete="current-password"
      />
      <button type="submit" className="btn primary large wide" disabled={isPending}>
        {isPending ? 'Signing in...' : 'Sign In'}
      </button>
      <p className="fine">
        <button type="button" className="linkish" onClick={onForgot}>
          Forgot your password?
        </button>
      </p>
      <p className="small fine">Your password does not leave this browser: it is turned into keys here.</p>
    </form>
  )
}
