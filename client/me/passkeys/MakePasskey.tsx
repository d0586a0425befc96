import { CircleAlert, Fingerprint } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { PASSKEY_LIMITS } from '../../../contract/account/assertion.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { thisBrowser } from '../account/browserName.ts'
import { addPasskey } from '../account/passkeyFactors.ts'

interface Props {
  /** The shortest time for which the making shows, in ms. */
  shownMs?: number
  /** Called with whether the new passkey opens the keys too. */
  onMade: (opensKeys: boolean) => Promise<void>
  /** Called with what went wrong; the words stand here as well. */
  onFailed?: (error: unknown) => void
  onCancel: () => void
}

/** A separate button, because browsers allow a passkey request only right after a press, and opening the keys takes longer. */
export function MakePasskey({ shownMs = 0, onMade, onFailed, onCancel }: Props) {
  const env = useEnv()
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(() => thisBrowser().name.slice(0, PASSKEY_LIMITS.nameMax))
  const [isPending, setPending] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    field.current?.focus()
    // Closes the keys also after a failure.
    return () => void env.crypto.forgetPassword()
  }, [env])

  async function make(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (isPending || !name.trim()) return field.current?.focus()
    setPending(true)
    setFailure(undefined)
    try {
      const shown = new Promise((resolve) => setTimeout(resolve, shownMs))
      const [{ opensKeys }] = await Promise.all([addPasskey(env, { kind: 'fresh' }, name.trim()), shown])
      await onMade(opensKeys)
    } catch (error) {
      setFailure(failureWords(error))
      setPending(false)
      onFailed?.(error)
    }
  }

  return (
    <form className="stack" onSubmit={make} noValidate>
      <Note icon={failure ? CircleAlert : Fingerprint} tone={failure ? 'danger' : 'acc'} role={failure ? 'alert' : 'status'}>
        {failure ?? 'Your keys are open. Your browser asks next where the passkey is to be kept.'}
      </Note>
      <Field
        label="Name of the passkey"
        inputRef={field}
        value={name}
        error={isChecked && !name.trim() ? 'A name is required' : undefined}
        help={<p className="help">The server keeps it, so that you can tell your passkeys apart.</p>}
        maxLength={PASSKEY_LIMITS.nameMax}
        autoComplete="off"
        dir="auto"
        onValue={setName}
      />
      <div className="acts">
        <button type="submit" className="btn primary" disabled={isPending}>
          {isPending ? 'Waiting for the passkey...' : 'Make the passkey'}
        </button>
        <button type="button" className="btn outline" disabled={isPending} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
