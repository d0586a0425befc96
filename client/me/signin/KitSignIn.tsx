import { CircleAlert } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { UNKEPT } from '../../ui/unkept.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { KitEntry } from '../kit/KitEntry.tsx'
import { KIT_WORDS, wordsIn } from '../kit/kit.ts'
import { signInByKit } from './recover.ts'
import type { SignInStep } from './signin.ts'

interface Props {
  username: string
  words: string
  onChange: (changed: { username?: string; words?: string }) => void
  onStep: (step: SignInStep) => void
  onCancel: () => void
}

/** Signs in with the recovery kit after a forgotten password, or explains that it cannot be done without one. */
export function KitSignIn({ username, words, onChange, onStep, onCancel }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<{ username?: string; words?: string }>({})
  const [failure, setFailure] = useState<string>()
  const [isPending, setPending] = useState(false)

  function refuse(found: typeof errors) {
    setErrors(found)
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setFailure(undefined)
    const typed = wordsIn(words)
    const found = {
      ...(!username.trim() && { username: 'Username is required' }),
      ...(typed.length !== KIT_WORDS && { words: countError(typed.length) }),
    }
    if (Object.keys(found).length > 0) return refuse(found)
    setErrors({})
    setPending(true)
    try {
      onStep(await signInByKit(env, { username: username.trim(), words: typed.join(' ') }))
    } catch (error) {
      setPending(false)
      if (isAboutWords(error)) refuse({ words: failureWords(error) })
      else setFailure(failureWords(error))
    }
  }

  return (
    <section className="step kit">
      <h1 tabIndex={-1}>Use your recovery kit</h1>
      <p className="t2">
        It opens your account, with the history that is kept for it, and lets you choose a new password. It works once.
      </p>
      <form ref={form} onSubmit={submit} noValidate>
        <Field
          label="Username"
          value={username}
          error={errors.username}
          onValue={(value) => {
            setErrors({})
            setFailure(undefined)
            onChange({ username: value })
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
        <KitEntry
          value={words}
          error={errors.words}
          onValue={(value) => {
            setErrors({})
            setFailure(undefined)
            onChange({ words: value })
          }}
        />
        {failure && (
          <Note icon={CircleAlert} tone="danger" role="alert">
            {failure}
          </Note>
        )}
        <div className="step-actions">
          <button type="submit" className="btn primary large" disabled={isPending}>
            {isPending ? 'Opening...' : 'Open my account'}
          </button>
          <button type="button" className="btn outline large" disabled={isPending} onClick={onCancel}>
            Back to Sign In
          </button>
        </div>
      </form>
      <p className="small t2">
        Without a kit, use a browser where you are signed in: it shows your messages and can export them.
      </p>
    </section>
  )
}

const countError = (count: number) =>
  count === 0
    ? 'The words are required'
    : `A recovery kit has ${KIT_WORDS} words. ${count === 1 ? 'This is 1' : `These are ${count}`}`

const isAboutWords = (error: unknown) =>
  error instanceof CryptoFailure || (error instanceof ApiError && error.code === 'wrong_kit')
