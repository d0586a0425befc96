import { LockKeyhole } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../../contract/account/account.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { UNKEPT } from '../../ui/unkept.ts'
import { profileErrors, saveProfile, type TypedProfile } from './profile.ts'
import { profileDraftStore, typedProfile } from './profileDraft.ts'

const setDraft = (draft: Partial<TypedProfile>) => profileDraftStore.setState({ draft })

/** Another browser's change appears at once, except in a field being edited. */
export function Profile({ user }: { user: User }) {
  const env = useEnv()
  const fields = { displayName: useRef<HTMLInputElement>(null), email: useRef<HTMLInputElement>(null) }
  const draft = useStore(profileDraftStore, (state) => state.draft)
  const [errors, setErrors] = useState<Partial<TypedProfile>>({})
  const [isPending, setPending] = useState(false)
  const { typed, isNameChanged, isEmailChanged } = typedProfile(user, draft)
  const isChanged = isNameChanged || isEmailChanged

  function type(change: Partial<TypedProfile>) {
    setDraft({ ...draft, ...change })
    setErrors({})
  }

  function undo() {
    setDraft({})
    setErrors({})
    fields[isEmailChanged ? 'email' : 'displayName'].current?.focus()
  }

  function refuse(found: Partial<TypedProfile>) {
    setErrors(found)
    fields[found.displayName ? 'displayName' : 'email'].current?.focus()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending || !isChanged) return
    const sent: TypedProfile = { displayName: typed.displayName, ...(isEmailChanged && { email: typed.email }) }
    const found = profileErrors(sent)
    if (found.displayName || found.email) return refuse(found)
    setPending(true)
    try {
      await saveProfile(env, sent)
      // Text typed meanwhile stays.
      const now = profileDraftStore.getState().draft
      setDraft(Object.fromEntries(Object.entries(now).filter(([field, text]) => text !== Reflect.get(typed, field))))
      // A person still typing keeps the focus.
      if (!(document.activeElement instanceof HTMLInputElement)) fields[isEmailChanged ? 'email' : 'displayName'].current?.focus()
      showToast({
        tone: 'good',
        title: 'Profile saved',
        text: isNameChanged ? 'Your contacts see your name from now on.' : 'Your contacts do not see your email.',
      })
    } catch (failure) {
      // Only a refusal of what was typed belongs to its field.
      if (failure instanceof ApiError && failure.status === 400)
        refuse(isEmailChanged ? { email: failureWords(failure) } : { displayName: failureWords(failure) })
      else showToast({ tone: 'bad', title: 'Failed to update profile', text: failureWords(failure) })
    } finally {
      setPending(false)
    }
  }

  return (
    <form className="stack" onSubmit={submit} noValidate>
      <Field
        label="Display name"
        rule={`${typed.displayName.length} of ${LIMITS.displayNameMax}`}
        inputRef={fields.displayName}
        value={typed.displayName}
        error={errors.displayName}
        onValue={(displayName) => type({ displayName })}
        maxLength={LIMITS.displayNameMax}
        {...UNKEPT}
        dir="auto"
      />
      <Field
        label="Username"
        value={user.username.toLowerCase()}
        onValue={() => undefined}
        readOnly
        {...UNKEPT}
        before={
          <span className="t3" aria-hidden="true">
            @
          </span>
        }
        after={<LockKeyhole className="i i-16" aria-hidden />}
      />
      <Field
        label="Email"
        rule="optional"
        type="email"
        inputRef={fields.email}
        value={typed.email}
        error={errors.email}
        help={
          <p className="help">
            Seen by you and by the administrators of this server, by nobody else. Where the server sends mail, one goes there if a
            payment of your plan fails.
          </p>
        }
        onValue={(email) => type({ email })}
        maxLength={LIMITS.emailMax}
        autoComplete="email"
        spellCheck={false}
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
