import { type FormEvent, useRef, useState } from 'react'
import type { User } from '../../contract/account.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../net/api.ts'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { displayNameError, saveDisplayName } from './profile.ts'

/** The form of the own display name. A name that another browser sets appears at once, unless this form is being edited. */
export function DisplayName({ user }: { user: User }) {
  const env = useEnv()
  const field = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState<string>()
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const typed = draft ?? user.displayName

  function refuse(words: string) {
    setError(words)
    field.current?.focus()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const problem = displayNameError(typed)
    if (problem) return refuse(problem)
    setPending(true)
    try {
      await saveDisplayName(env, typed)
      setDraft(undefined)
      showToast({ tone: 'good', title: 'Display name saved', text: 'Your contacts see it from now on.' })
    } catch (failure) {
      if (failure instanceof ApiError) refuse(failureWords(failure))
      else showToast({ tone: 'bad', title: 'Failed to update profile', text: failureWords(failure) })
    } finally {
      setPending(false)
    }
  }

  return (
    <form className="stack tight" onSubmit={submit} noValidate>
      <Field
        label="Display name"
        inputRef={field}
        value={typed}
        error={error}
        help={<p className="help">Your contacts see it. They know you by your username, which stays.</p>}
        onValue={(name) => {
          setDraft(name)
          setError(undefined)
        }}
        maxLength={LIMITS.displayNameMax}
        autoComplete="nickname"
        dir="auto"
      />
      <div className="acts">
        <button type="submit" className="btn outline" disabled={isPending || typed === user.displayName}>
          {isPending ? 'Saving...' : 'Save'}
        </button>
      </div>
    </form>
  )
}
