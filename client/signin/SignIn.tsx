import { type FormEvent, useRef, useState } from 'react'
import { untilStarted } from '../account/account.ts'
import { useEnv } from '../ui/env.tsx'
import { Field, PasswordField } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { type SignInStep, signIn } from './signin.ts'

interface Props {
  onSubmit: () => void
  onStep: (step: SignInStep) => void
  onForgot: (username: string) => void
}

export function SignIn({ onSubmit, onStep, onForgot }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [isPending, setPending] = useState(false)
  const usernameError = isChecked && !username.trim() ? 'Username is required' : undefined
  const passwordError = isChecked && !password ? 'Password is required' : undefined

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setChecked(true)
    if (!username.trim() || !password) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
      return
    }
    setPending(true)
    onSubmit()
    try {
      await untilStarted()
      onStep(await signIn(env, { username: username.trim(), password }))
    } catch (error) {
      showToast({ tone: 'bad', title: 'Sign in failed', text: failureWords(error) })
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
        onValue={setUsername}
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
        onValue={setPassword}
        autoComplete="current-password"
      />
      <button type="submit" className="btn primary large wide" disabled={isPending}>
        {isPending ? 'Signing in...' : 'Sign In'}
      </button>
      <p className="fine">
        <button type="button" className="linkish" onClick={() => onForgot(username.trim())}>
          Forgot your password?
        </button>
      </p>
      <p className="small fine">Your password does not leave this browser: it is turned into keys here.</p>
    </form>
  )
}
