import { LockKeyhole } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import type { User } from '../../contract/account.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../net/api.ts'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { displayNameError, saveDisplayName } from './profile.ts'

/** The own names. A display name that another browser sets appears at once, unless this form is being edited. */
export function Profile({ user }: { user: User }) {
  const env = useEnv()
  const field = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState<string>()
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const typed = draft ?? user.displayName

  const isChanged = typed !== user.displayName

  function undo() {
    setDraft(undefined)
    setError(undefined)
    field.current?.focus()
  }

  function refuse(words: string) {
    setError(words)
    field.current?.focus()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending || !isChanged) return
    const problem = displayNameError(typed)
    if (problem) return refuse(problem)
    setPending(true)
    try {
      await saveDisplayName(env, typed)
      setDraft(undefined)
      // The pressed button has gone.
      field.current?.focus()
      showToast({ tone: 'good', title: 'Display name saved', text: 'Your contacts see it from now on.' })
    } catch (failure) {
      if (failure instanceof ApiError) refuse(failureWords(failure))
      else showToast({ tone: 'bad', title: 'Failed to update profile', text: failureWords(failure) })
    } finally {
      setPending(false)
    }
  }

  return (
    <form className="stack" onSubmit={submit} noValidate>
      <Field
        label="Display name"
        rule={`${typed.length} of ${LIMITS.displayNameMax}`}
        inputRef={field}
        value={typed}
        error={error}
        onValue={(name) => {
          setDraft(name)
          setError(undefined)
        }}
        maxLength={LIMITS.displayNameMax}
        autoComplete="nickname"
        dir="auto"
      />
      <Field
        label="Username"
        value={user.username.toLowerCase()}
        onValue={() => undefined}
        readOnly
        before={
          <span className="t3" aria-hidden="true">
            @
          </span>
        }
        after={<LockKeyhole className="i i-16" aria-hidden />}
      />
      {isChanged && (
        <div className="acts">
          <button type="submit" className="btn primary" disabled={isPending}>
            {isPending ? 'Saving...' : 'Save changes'}
          </button>
          <button type="button" className="btn quiet" disabled={isPending} onClick={undo}>
            Undo
          </button>
        </div>
      )}
    </form>
  )
}
