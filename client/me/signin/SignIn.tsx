import { type FormEvent, useRef, useState } from 'react'
import { factorDetails } from '../../../contract/account/assertion.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field, PasswordField } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { showToast } from '../../ui/toast.ts'
import { UNKEPT } from '../../ui/unkept.ts'
import { loadPart } from '../../worker/crypto.ts'
import { untilStarted } from '../account/account.ts'
import type { SignedByPasskey } from '../account/passkey.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import type { Factor } from './BiometricStep.tsx'
import { type SignInStep, signIn } from './signin.ts'

const BiometricStep = later(async () => (await import('./BiometricStep.tsx')).BiometricStep)

/** Refusals of what was typed. They stand under the password; anything else is no fault of the form. */
const OF_FORM = ['invalid_credentials', 'too_many_requests', 'invalid_input']

const OTHER_ADDRESS = 'Passkeys and sessions of this server’s other address do not count here.'

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
  const [factor, setFactor] = useState<Factor>()
  const [pending, setPending] = useState<'form' | 'passkey'>()
  const usernameError = isChecked && !username.trim() ? 'Username is required' : undefined
  const passwordError = isChecked && !password ? 'Password is required' : refusal

  function submit(event: FormEvent) {
    event.preventDefault()
    if (pending || factor) return
    setChecked(true)
    if (username.trim() && password) return void enter()
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
  }

  /** Sends the password, with what a passkey has signed. Returns what the server asks a passkey to sign, if it does. */
  async function enter(signed?: SignedByPasskey): Promise<Factor | undefined> {
    const name = username.trim()
    setRefusal(undefined)
    setPending('form')
    onSubmit()
    try {
      await untilStarted()
      onStep(await signIn(env, { username: name, password, factor: signed }))
    } catch (error) {
      if (isRefused(error, 'biometric_required')) {
        const asked = { username: name, details: factorDetails.parse(error.details), askedAt: Date.now() }
        setFactor(asked)
        return asked
      }
      if (signed && factor) setFactor({ ...factor, refusal: failureWords(error) })
      else if (error instanceof ApiError && OF_FORM.includes(error.code)) refuse(failureWords(error))
      else refuse(undefined, error)
    } finally {
      setPending(undefined)
    }
  }

  function refuse(words: string | undefined, error?: unknown) {
    setFactor(undefined)
    setRefusal(words)
    if (error) showToast({ tone: 'bad', title: 'Sign in failed', text: failureWords(error) })
    // The pressed button was disabled and lost the focus.
    form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus()
  }

  async function enterByPasskey() {
    setPending('passkey')
    onSubmit()
    try {
      await untilStarted()
      const { signInByPasskey } = await loadPart(() => import('./signInByPasskey.ts'))
      onStep(await signInByPasskey(env))
    } catch (error) {
      showToast({ tone: 'bad', title: 'Sign in failed', text: failureWords(error) })
    } finally {
      setPending(undefined)
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
          // Another name begins anew. An emptied field may still become the same one again.
          if (typed.trim() && typed.trim() !== factor?.username) setFactor(undefined)
        }}
        {...UNKEPT}
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
          setFactor(undefined)
        }}
        autoComplete="current-password"
      />
      {factor && (
        <BiometricStep
          factor={factor}
          username={username}
          onRenew={() => enter()}
          onSigned={(signed) => void enter(signed)}
          onForgot={onForgot}
        />
      )}
      <button
        type="submit"
        className={factor ? 'btn outline large wide' : 'btn primary large wide'}
        disabled={pending !== undefined || factor !== undefined}
      >
        {pending === 'form' ? 'Signing in...' : 'Sign In'}
      </button>
      {!factor && passkeysWork() && (
        <button
          type="button"
          className="btn outline large wide"
          disabled={pending !== undefined}
          onClick={() => void enterByPasskey()}
        >
          {pending === 'passkey' ? 'Waiting for the passkey...' : 'Sign in with a passkey'}
        </button>
      )}
      {isOnionOrigin() && <p className="small fine">{OTHER_ADDRESS}</p>}
      <p className="fine">
        <button type="button" className="linkish" onClick={onForgot}>
          Forgot your password?
        </button>
      </p>
      <p className="small fine">Your password does not leave this browser: it is turned into keys here.</p>
    </form>
  )
}
