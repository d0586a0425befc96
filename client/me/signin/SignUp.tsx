import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { registrationShape } from '../../../contract/account/forms.ts'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'
import { showToast } from '../../ui/toast.ts'
import { UNKEPT } from '../../ui/unkept.ts'
import { untilStarted } from '../account/account.ts'
import { PasswordPair } from './PasswordPair.tsx'
import { signUp } from './signin.ts'
import { type NameState, UsernameField } from './UsernameField.tsx'

const NAMES = ['username', 'displayName', 'password', 'confirmPassword'] as const
type Name = (typeof NAMES)[number]

interface Props {
  preferred: string
  onSubmit: () => void
}

export function SignUp({ preferred, onSubmit }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ username: '', displayName: '', password: '', confirmPassword: '' })
  const [errors, setErrors] = useState<FieldErrors<Name>>({})
  const [nameState, setNameState] = useState<NameState>('unusable')
  const [isPending, setPending] = useState(false)
  // Who presses Enter while the name is being checked need not press it again.
  const [isWaiting, setWaiting] = useState(false)

  useEffect(() => setValues((typed) => ({ ...typed, username: typed.username || preferred })), [preferred])

  function change(changed: Partial<typeof values>) {
    setValues({ ...values, ...changed })
    setErrors((known) => Object.fromEntries(Object.entries(known).filter(([name]) => !(name in changed))))
  }

  function refuse(found: FieldErrors<Name>) {
    setErrors(found)
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
  }

  useEffect(() => {
    if (!isWaiting || nameState === 'checking') return
    setWaiting(false)
    if (nameState === 'usable') form.current?.requestSubmit()
  }, [isWaiting, nameState])

  /** The browser sends no form whose button is disabled. */
  function pressEnter({ key, target }: KeyboardEvent) {
    if (key === 'Enter' && target instanceof HTMLInputElement && nameState === 'checking') setWaiting(true)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    // After a take-over of the static form the field has not said yet that it checks the name.
    if (!isPending && nameState !== 'usable') setWaiting(true)
    if (isPending || nameState !== 'usable') return
    const parsed = registrationShape.safeParse(values)
    if (!parsed.success) {
      refuse(fieldErrors(parsed.error, NAMES))
      return
    }
    setPending(true)
    onSubmit()
    try {
      await untilStarted()
      await signUp(env, { ...values, displayName: parsed.data.displayName })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'username_taken') refuse({ username: error.message })
      else showToast({ tone: 'bad', title: 'Registration failed', text: failureWords(error) })
    } finally {
      setPending(false)
    }
  }

  return (
    <form ref={form} onSubmit={submit} onKeyDown={pressEnter} noValidate>
      <UsernameField
        value={values.username}
        error={errors.username}
        onValue={(username) => change({ username: username.trim() })}
        onState={setNameState}
      />
      <Field
        label="Display name"
        rule="1 to 50 characters"
        value={values.displayName}
        error={errors.displayName}
        onValue={(displayName) => change({ displayName })}
        {...UNKEPT}
        dir="auto"
      />
      {/* Managers of passwords read it; without id and name Chromium keeps it in no form history. */}
      <input className="sr" type="text" autoComplete="username" value={values.username} readOnly tabIndex={-1} aria-hidden />
      <PasswordPair value={values} errors={errors} onValue={change} own={[values.username, values.displayName]} />
      <button type="submit" className="btn primary large wide" disabled={isPending || nameState !== 'usable'}>
        {isPending ? 'Creating...' : 'Create account'}
      </button>
      <p className="small fine">The password also seals your keys. We cannot reset it; your recovery kit can.</p>
    </form>
  )
}
